import type { ProcessStatus } from '../../functions/operations/protocol/status.ts';
import { counted } from '../model/counted.ts';
import { addressOf } from '../model/routes.ts';
import { countText, isUnreported, PROCESS_TONES, recheckText } from '../model/status-words.ts';
import { every } from '../model/times.ts';
import { useWorld } from '../state/use.ts';
import { Action } from './action.tsx';
import { ConfirmButton } from './confirm.tsx';
import { Badge } from './states.tsx';
import { Ago, Due, For } from './times.tsx';

/** A process at a glance: how recent its data is, and what needs an operator. */
export function ProcessCard({ status }: { readonly status: ProcessStatus }) {
  const { workspace, process, state, completedAt, sweptAt, projects, interval, underWay } = status;
  return (
    <li class="card">
      <div class="card-head">
        <a class="card-name" href={addressOf('history', undefined, { workspace, process })}>
          <bdi>{process}</bdi>
        </a>
        <bdi class="kind card-kind">{workspace}</bdi>
        <Badge tone={PROCESS_TONES[state]}>{state.replace('-', ' ')}</Badge>
      </div>
      <div class="card-facts">
        <span>
          {completedAt === undefined ? (
            'never read'
          ) : (
            <>
              read <Ago at={completedAt} />
            </>
          )}
        </span>
        {sweptAt !== undefined && (
          <span>
            swept <Ago at={sweptAt} />
          </span>
        )}
        {projects !== undefined && <span>{counted(projects, 'project')}</span>}
        {interval !== undefined && <span>{every(interval)}</span>}
        {underWay.map(({ mode, progress }) => (
          <span key={mode} class="under-way">
            {mode === 'sweep' ? 'sweep' : 'pass'} running
            {progress !== undefined && <bdi>, at {progress}</bdi>}
          </span>
        ))}
      </div>
      {state === 'removed' ? (
        <Removed status={status} />
      ) : (
        <>
          <Hold status={status} />
          <Rechecks status={status} />
          <More status={status} />
        </>
      )}
    </li>
  );
}

function Hold({ status }: { readonly status: ProcessStatus }) {
  const { workspace, process, hold, stalledSince, failure, pausedUntil } = status;
  const { session } = useWorld();
  return (
    <>
      {stalledSince !== undefined && (
        <p class="card-trouble">
          No pass completed <For since={stalledSince} />: changes are late.
        </p>
      )}
      {failure && (
        <p class="card-trouble">
          Passes fail <For since={failure.since} />: <bdi>{failure.reason}</bdi>
        </p>
      )}
      {pausedUntil !== undefined && (
        <p class="card-trouble">
          Requests to the service are paused; next attempt <Due at={pausedUntil} />.
        </p>
      )}
      {hold?.isReleased && (
        <p class="card-trouble">
          Deletions of {hold.projects} projects are released; the next sweep reports them.
        </p>
      )}
      {hold && !hold.isReleased && (
        <div class="card-trouble">
          <p>
            {counted(hold.projects, 'project')} disappeared at once. Their deletions have been on hold{' '}
            <For since={hold.since} />, and need your approval.
          </p>
          <ConfirmButton
            class="small"
            title={`Release ${process}`}
            label="Release the deletions"
            tone="bad"
            preview={async () => {
              const { projects } = await session.ask({
                operation: 'release',
                workspace,
                process,
                dryRun: true,
              });
              return `The next sweep will report ${projects} projects and their tasks as deleted to all endpoints and subscribers. Only continue if they were really deleted.`;
            }}
            act={async () => {
              const { projects } = await session.ask({ operation: 'release', workspace, process });
              return `Released the deletions of ${projects} projects.`;
            }}
          />
        </div>
      )}
    </>
  );
}

/** A process that is no longer in the configuration. */
function Removed({ status: { workspace, process } }: { readonly status: ProcessStatus }) {
  const { session } = useWorld();
  return (
    <div class="card-trouble">
      <p>No longer polled. Add it to the configuration to continue.</p>
      <ConfirmButton
        class="small"
        title={`Forget ${process}`}
        label="Forget it"
        tone="bad"
        preview={async () => {
          const { projects } = await session.ask({ operation: 'forget', workspace, process, dryRun: true });
          return `The stored data of ${countText(projects)} projects will be deleted. If you add ${process} again, it starts with a new baseline, which emits nothing. Its events stay until they expire.`;
        }}
        act={async () => {
          let deleted = 0;
          for (let isDone = false; !isDone; ) {
            const { projects } = await session.ask({ operation: 'forget', workspace, process });
            deleted += projects.atLeast;
            isDone = projects.isExact;
          }
          return `Deleted the stored data of ${process}: ${counted(deleted, 'project')}.`;
        }}
      />
    </div>
  );
}

function Rechecks({ status: { rechecks } }: { readonly status: ProcessStatus }) {
  if (rechecks.count === 0) return null;
  return (
    <details class="card-trouble">
      <summary>{recheckText(rechecks)}</summary>
      <ul class="plain-list">
        {rechecks.first.map(recheck => (
          <li key={recheck.project}>
            <bdi class="mono">{recheck.project}</bdi> <bdi>{recheck.reason}</bdi>{' '}
            <span class="quiet">
              {recheck.since === undefined ? (
                'never read'
              ) : (
                <>
                  reported up to <Ago at={recheck.since} />
                </>
              )}
              {isUnreported(recheck) && ', not reported yet'}
            </span>
          </li>
        ))}
        {rechecks.count > rechecks.first.length && (
          <li class="quiet">and {rechecks.count - rechecks.first.length} more</li>
        )}
      </ul>
    </details>
  );
}

function More({ status: { workspace, process } }: { readonly status: ProcessStatus }) {
  const { session } = useWorld();
  const begin = (mode: 'changes' | 'sweep') => async () => {
    await session.ask({ operation: 'pass', workspace, process, mode });
    return mode === 'sweep' ? `Sweep of ${process} started.` : `Pass of ${process} started.`;
  };
  return (
    <div class="card-actions">
      <Action class="small" label={`Pass of ${process} now: check for changes`} act={begin('changes')}>
        Pass
      </Action>
      <Action class="small" label={`Sweep ${process} now: re-read the whole process`} act={begin('sweep')}>
        Sweep
      </Action>
      <a class="small-link" href={addressOf('doctor', undefined, { workspace, process })}>
        Doctor
      </a>
    </div>
  );
}
