import type { AnswerOf } from '../../functions/operations/protocol/answers.ts';
import { actorName, changeLine, changeText } from '../model/change-line.ts';
import { dataOf } from '../model/committed.ts';
import { addressOf } from '../model/routes.ts';
import { about } from '../model/times.ts';
import { OneChange, Value, Where } from '../parts/change.tsx';
import { CopyButton } from '../parts/copy.tsx';
import { DeliveryResults } from '../parts/delivery-results.tsx';
import { Json } from '../parts/json.tsx';
import { Failed, Loading } from '../parts/states.tsx';
import { Ago, At } from '../parts/times.tsx';
import { useAsked, useWorld } from '../state/use.ts';

type Trace = AnswerOf<'trace'>;

const EVERY_MS = 3_000;
const MAX_CHARACTERS = 4_000;

/** An event: its changes, its deliveries, and its JSON. */
export function EventPage({ id }: { readonly id: string }) {
  const { session } = useWorld();
  const asked = useAsked(id, signal => session.ask({ operation: 'trace', eventId: id }, signal), EVERY_MS);
  const { answer, error } = asked;
  return (
    <div class="column">
      {answer ? <Details trace={answer} again={asked.again} /> : <h1 tabIndex={-1}>Event</h1>}
      {error !== undefined && <Failed error={error} again={asked.again} />}
      {!answer && error === undefined && <Loading what="The event" rows={8} />}
    </div>
  );
}

function Details({ trace, again }: { readonly trace: Trace; readonly again: () => void }) {
  const line = changeLine(trace);
  const { event } = trace;
  const data = dataOf(trace);
  const { workspace, process, project, task } = line;
  const of = { workspace, process, project: project?.id, task: task?.id };
  return (
    <>
      <header class="event-head">
        <p class="quiet">
          <span class="mono">{event.type}</span> · <bdi>{workspace}</bdi>/<bdi>{process}</bdi> ·{' '}
          <Ago at={trace.committedAt} />
        </p>
        <h1 tabIndex={-1}>
          <Where line={line} />
        </h1>
        {line.note !== undefined && <p>{line.note}</p>}
        {project && (
          <p class="links">
            <a href={addressOf('history', undefined, { ...of, task: undefined })}>Timeline of the project</a>
            {task && <a href={addressOf('history', undefined, of)}>Timeline of the task</a>}
          </p>
        )}
      </header>
      <div class="event-grid">
        <div class="event-main">
          <Changes data={data} action={line.action} />
          <DeliveryResults trace={trace} again={again} />
        </div>
        <Facts trace={trace} />
      </div>
      <div>
        <h2>The event as JSON</h2>
        <Json value={event} label="The event as JSON" />
      </div>
    </>
  );
}

function Changes({
  data: { changes = [] },
  action,
}: {
  readonly data: ReturnType<typeof dataOf>;
  readonly action: string;
}) {
  if (changes.length === 0) return null;
  const isWhole = action === 'created' || action === 'deleted';
  const texts = changes.map(change => changeText(change, MAX_CHARACTERS));
  const shown = isWhole ? texts.filter(({ from, to }) => (from ?? to) !== undefined) : texts;
  return (
    <section aria-labelledby="changes">
      <h2 id="changes">{isWhole ? 'Values' : 'What changed'}</h2>
      <div class="table-box">
        <table class="changes">
          <thead>
            <tr>
              <th scope="col">Field</th>
              {isWhole ? <th scope="col">Value</th> : <th scope="col">From</th>}
              {!isWhole && <th scope="col">To</th>}
            </tr>
          </thead>
          <tbody>
            {shown.map((change, index) => (
              <tr key={index}>
                <th scope="row">
                  <bdi>{change.label}</bdi>
                  {change.label !== change.field && <bdi class="kind mono block">{change.field}</bdi>}
                </th>
                <td>
                  <Value text={isWhole ? (change.to ?? change.from) : change.from} isOld={!isWhole} />
                </td>
                {!isWhole && (
                  <td>
                    <Value text={change.to} />
                    {change.choices && (
                      <div class="quiet">
                        <OneChange change={{ ...change, label: 'difference' }} />
                      </div>
                    )}
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Facts({ trace }: { readonly trace: Trace }) {
  const { event, committedAt, published } = trace;
  const { observed, actors = [], truncated } = dataOf(trace);
  return (
    <section class="sheet facts" aria-labelledby="facts">
      <h2 id="facts">{actors.length > 0 ? 'Who and when' : 'When'}</h2>
      <dl>
        {actors.length > 0 && <MadeBy actors={actors} />}
        {observed && <Interval {...observed} />}
        <dt>Committed</dt>
        <dd>
          <At at={committedAt} />
        </dd>
        <dt>Published</dt>
        <dd>{published}</dd>
        {truncated && (
          <>
            <dt>Truncated</dt>
            <dd class="mono">{truncated.join(', ')}</dd>
          </>
        )}
        <dt>Id</dt>
        <dd>
          <bdi class="mono">{event.id}</bdi>
          <CopyButton text={() => event.id} class="small">
            Copy the id
          </CopyButton>
        </dd>
      </dl>
    </section>
  );
}

function MadeBy({ actors }: { readonly actors: NonNullable<ReturnType<typeof dataOf>['actors']> }) {
  return (
    <>
      <dt>Made by</dt>
      {actors.map(actor => (
        <dd key={actor.id}>
          <bdi>{actorName(actor)}</bdi> <bdi class="kind mono">{actor.id}</bdi>
        </dd>
      ))}
    </>
  );
}

function Interval({ after, before }: { readonly after: string; readonly before: string }) {
  return (
    <>
      <dt>Changed between</dt>
      <dd>
        <At at={after} />
        <br />
        <At at={before} />
        <span class="quiet">
          {' '}
          ({about(Math.max(0, Date.parse(before) - Date.parse(after)))} apart, service time)
        </span>
      </dd>
    </>
  );
}
