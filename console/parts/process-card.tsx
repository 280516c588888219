import type { ProcessStatus } from '../../functions/operations/protocol/status.ts';
import { counted } from '../model/counted.ts';
import { addressOf } from '../model/routes.ts';
import { countText, isUnreported, PROCESS_TONES, PROCESS_WORDS, recheckText } from '../model/status-words.ts';
import { every } from '../model/times.ts';
import { useWorld } from '../state/use.ts';
import { Action } from './action.tsx';
import { ConfirmButton } from './confirm.tsx';
import { Badge } from './states.tsx';
import { Ago, Due, For } from './times.tsx';

/** A process at a glance: how fresh its data is, and what waits for an operator. */
export function ProcessCard({ status }: { readonly status: ProcessStatus }) {
  const { workspace, process, state, completedAt, sweptAt, interval, underWay } = status;
  return (
    <li class="card">
      <div class="card-head">
        <a class="card-name" href={addressOf('history', undefined, { workspace, process })}>
          <bdi>{process}</bdi>
        </a>
        <bdi class="kind card-kind">{workspace}</bdi>
        <Badge tone={PROCESS_TONES[state]}>{PROCESS_WORDS[state]}</Badge>
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
        {interval !== undefined && <span>{every(interval)}</span>}
        {underWay.map(({ mode, progress }) => (
          <span key={mode} class="under-way">
            {mode === 'sweep' ? 'sweep' : 'pass'} under way
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
          No pass was completed <For since={stalledSince} />: changes are late.
        </p>
      )}
      {failure && (
        <p class="card-trouble">
          Passes fail <For since={failure.since} />: <bdi>{failure.reason}</bdi>
        </p>
      )}
      {pausedUntil !== undefined && (
        <p class="card-trouble">
          The workspace is paused: the service is asked again <Due at={pausedUntil} />.
        </p>
      )}
      {hold?.isReleased && (
        <p class="card-trouble">
          Deletions of {hold.projects} projects are released: the next sweep tells them.
        </p>
      )}
      {hold && !hold.isReleased && (
        <div class="card-trouble">
          <p>
            {counted(hold.projects, 'project')} vanished at once, and nothing was deleted: on hold{' '}
            <For since={hold.since} />.
          </p>
          <ConfirmButton
            class="small"
            title={`Release ${process}`}
            label="Release the deletions"
            tone="bad"
            look={async () => {
              const { projects } = await session.ask({
                operation: 'release',
                workspace,
                process,
                dryRun: true,
              });
              return `${projects} projects and their tasks will be told as deleted, to all endpoints and subscribers, by the next sweep. Release them only if they are gone.`;
            }}
            act={async () => {
              const { projects } = await session.ask({ operation: 'release', workspace, process });
              return `The deletions of ${projects} projects are released.`;
            }}
          />
        </div>
      )}
    </>
  );
}

/** A process that is not in the configuration any more. */
function Removed({ status: { workspace, process } }: { readonly status: ProcessStatus }) {
  const { session } = useWorld();
  return (
    <div class="card-trouble">
      <p>Nobody reads it any more. Taken in again, it goes on from here.</p>
      <ConfirmButton
        class="small"
        title={`Forget ${process}`}
        label="Forget it"
        tone="bad"
        look={async () => {
          const { projects } = await session.ask({ operation: 'forget', workspace, process, dryRun: true });
          return `What is known of ${countText(projects)} projects is deleted. Taken in again, ${process} begins with a new baseline, which tells nothing. What it told stays for 30 days.`;
        }}
        act={async () => {
          let deleted = 0;
          for (let isDone = false; !isDone; ) {
            const { projects } = await session.ask({ operation: 'forget', workspace, process });
            deleted += projects.atLeast;
            isDone = projects.isExact;
          }
          return `${process} is forgotten, with ${counted(deleted, 'project')}.`;
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
                  told until <Ago at={recheck.since} />
                </>
              )}
              {isUnreported(recheck) && ', not told yet'}
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
    return mode === 'sweep' ? `A sweep of ${process} begins.` : `A pass over ${process} begins.`;
  };
  return (
    <div class="card-actions">
      <Action class="small" label={`Look now for changes in ${process}`} act={begin('changes')}>
        Look now
      </Action>
      <Action class="small" label={`Sweep ${process} now: read all of it again`} act={begin('sweep')}>
        Sweep
      </Action>
      <a class="small-link" href={addressOf('doctor', undefined, { workspace, process })}>
        Doctor
      </a>
    </div>
  );
}
