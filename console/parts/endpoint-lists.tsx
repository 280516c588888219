import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { AnswerOf } from '../../functions/operations/protocol/answers.ts';
import type { EndpointStatus } from '../../functions/operations/protocol/status.ts';
import { addressOf } from '../model/routes.ts';
import { countText, isNone } from '../model/status-words.ts';
import { messageOf } from '../state/api.ts';
import { type Asked, useAsked, useWorld } from '../state/use.ts';
import { type Attempt, AttemptResult } from './attempt.tsx';
import { ConfirmButton } from './confirm.tsx';
import { RequestButton } from './endpoint-preview.tsx';
import { Failed, Loading } from './states.tsx';
import { Ago } from './times.tsx';
import { toast } from './toasts.tsx';

const EVERY_MS = 5_000;
const PAGE = 20;

interface Page<Row> {
  readonly rows: readonly Row[];
  readonly cursor: string | undefined;
}

/** Polls the first page until more pages are loaded; then the list no longer changes. */
function usePages<Row>(
  key: string,
  ask: (cursor: string | undefined, signal?: AbortSignal) => Promise<Page<Row>>,
) {
  const [more, setMore] = useState<Page<Row>>();
  const first = useAsked(key, signal => ask(undefined, signal), more ? undefined : EVERY_MS);
  const [isBusy, setBusy] = useState(false);
  const last = more ?? first.answer;
  const next = async () => {
    if (isBusy || last?.cursor === undefined) return;
    setBusy(true);
    try {
      const page = await ask(last.cursor);
      setMore({ rows: [...last.rows, ...page.rows], cursor: page.cursor });
    } catch (error) {
      toast(messageOf(error), { isBad: true });
    }
    setBusy(false);
  };
  const again = () => {
    setMore(undefined);
    first.again();
  };
  return { ...first, answer: last, next, isBusy, again };
}

type Pages<Row> = Asked<Page<Row>> & { readonly next: () => void; readonly isBusy: boolean };

interface ListProps<Row> {
  readonly id: string;
  readonly title: string;
  readonly none: string;
  readonly heads: readonly string[];
  readonly pages: Pages<Row>;
  readonly row: (row: Row) => ComponentChildren;
  readonly children?: ComponentChildren;
}

function List<Row>({ id, title, none, heads, pages, row, children }: ListProps<Row>) {
  const { answer, error, again, next, isBusy } = pages;
  return (
    <section aria-labelledby={id}>
      <div class="section-head">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
      {error !== undefined && <Failed error={error} again={again} />}
      {!answer && error === undefined && <Loading what={title} />}
      {answer?.rows.length === 0 && answer.cursor === undefined && <p class="sheet padded quiet">{none}</p>}
      {answer && (answer.rows.length > 0 || answer.cursor !== undefined) && (
        <div class="table-box">
          {answer.rows.length === 0 ? (
            <p class="padded quiet">{none}</p>
          ) : (
            <table class="stacked">
              <thead>
                <tr>
                  {heads.map(head => (
                    <th key={head} scope="col">
                      {head}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>{answer.rows.map(row)}</tbody>
            </table>
          )}
          {answer.cursor !== undefined && (
            <div class="table-foot">
              <button type="button" class="small" aria-busy={isBusy} onClick={next}>
                Load more
              </button>
            </div>
          )}
        </div>
      )}
    </section>
  );
}

interface AttemptsProps {
  readonly endpoint: string;
  readonly failed: boolean;
}

export function Attempts({ endpoint, failed }: AttemptsProps) {
  const { session } = useWorld();
  const pages = usePages<Attempt>(`attempts ${endpoint} ${failed}`, async (from, signal) => {
    const place = from === undefined ? {} : { cursor: from };
    const { attempts, cursor } = await session.ask(
      { operation: 'attempts', endpoint, limit: PAGE, names: true, ...(failed && { failed }), ...place },
      signal,
    );
    return { rows: attempts, cursor };
  });
  return (
    <List
      id="attempts"
      title="Attempts"
      none={noneText(failed, pages.answer?.cursor)}
      heads={['When', 'Event', 'Result', 'Request']}
      pages={pages}
      row={attempt => (
        <tr key={`${attempt.at} ${attempt.events[0]?.id}`}>
          <td class="nowrap" data-title="When">
            <Ago at={attempt.at} />
          </td>
          <td data-title="Event">
            <AttemptEvents attempt={attempt} />
          </td>
          <td data-title="Result">
            <AttemptResult attempt={attempt} />
          </td>
          <td data-title="Request">
            <AttemptRequest attempt={attempt} />
          </td>
        </tr>
      )}
    >
      <label class="inline">
        <input
          type="checkbox"
          checked={failed}
          onChange={() => {
            location.hash = addressOf('endpoints', endpoint, failed ? {} : { attempts: 'failed' });
          }}
        />
        Failed only
      </label>
    </List>
  );
}

/** The text for no attempts. A page of failed ones ends after a thousand attempts. */
function noneText(failed: boolean, cursor: string | undefined): string {
  if (!failed) return 'No attempts.';
  return cursor === undefined ? 'No failed attempts.' : 'None of the latest attempts failed.';
}

const SHOWN_EVENTS = 3;
/** The type of a test event, which has no page. */
const TEST = 'changewire.test';

function AttemptEvents({ attempt: { events } }: { readonly attempt: Attempt }) {
  return (
    <div>
      {events.slice(0, SHOWN_EVENTS).map(({ id, type, record }) => (
        <div key={id}>
          {type === TEST ? <bdi class="mono">{id}</bdi> : <EventLink id={id} name={record} />}{' '}
          <span class="quiet">{type}</span>
        </div>
      ))}
      {events.length > SHOWN_EVENTS && <span class="quiet">and {events.length - SHOWN_EVENTS} more</span>}
    </div>
  );
}

/** Only of an attempt with one event: a message of several depends on what was gathered. */
function AttemptRequest({ attempt: { endpoint, events } }: { readonly attempt: Attempt }) {
  const [first, second] = events;
  if (!first || second || first.type === TEST) return null;
  return <RequestButton endpoint={endpoint} eventId={first.id} />;
}

function EventLink({ id, name }: { readonly id: string; readonly name?: string | undefined }) {
  return (
    <a class={name === undefined ? 'mono' : ''} href={addressOf('event', id)} title={id}>
      <bdi>{name ?? id}</bdi>
    </a>
  );
}

type DeadLetter = AnswerOf<'dead-letters'>['deadLetters'][number];

interface DeadProps {
  readonly endpoint: string;
  readonly dead: EndpointStatus['dead'];
  readonly again: () => void;
}

export function DeadLetters({ endpoint, dead, again }: DeadProps) {
  const { session } = useWorld();
  const pages = usePages<DeadLetter>(`dead ${endpoint}`, async (from, signal) => {
    const place = from === undefined ? {} : { cursor: from };
    const { deadLetters, cursor } = await session.ask(
      { operation: 'dead-letters', endpoint, limit: PAGE, ...place },
      signal,
    );
    return { rows: deadLetters, cursor };
  });
  return (
    <List
      id="dead"
      title="Dead letters"
      none="No dead letters."
      heads={['Published', 'Given up', 'Event', 'Attempts', 'Reason']}
      pages={pages}
      row={letter => (
        <tr key={letter.eventId}>
          <td class="nowrap" data-title="Published">
            <Ago at={letter.publishedAt} />
          </td>
          <td class="nowrap" data-title="Given up">
            <Ago at={letter.diedAt} />
          </td>
          <td data-title="Event">
            <EventLink id={letter.eventId} name={letter.record} />
          </td>
          <td data-title="Attempts">{letter.attempts}</td>
          <td data-title="Reason">
            <bdi>{letter.reason}</bdi>
          </td>
        </tr>
      )}
    >
      {!isNone(dead) && (
        <ConfirmButton
          class="small"
          title={`Resend to ${endpoint}`}
          label="Resend all"
          preview={async () => {
            const { deliveries } = await session.ask({
              operation: 'resend-dead',
              to: endpoint,
              dryRun: true,
            });
            return `${countText(deliveries)} dead letters will be sent again to ${endpoint}.`;
          }}
          act={async () => {
            const { deliveries } = await session.ask({ operation: 'resend-dead', to: endpoint });
            pages.again();
            again();
            const rest = deliveries.isExact ? '' : ' There are more: resend again.';
            return `Resending ${countText(deliveries)} dead letters to ${endpoint}.${rest}`;
          }}
        />
      )}
    </List>
  );
}

type Done = AnswerOf<'actions'>['actions'][number];

export function ActionLog({ endpoint }: { readonly endpoint: string }) {
  const { session } = useWorld();
  const pages = usePages<Done>(`actions ${endpoint}`, async (from, signal) => {
    const place = from === undefined ? {} : { cursor: from };
    const { actions, cursor } = await session.ask(
      { operation: 'actions', endpoint, limit: PAGE, ...place },
      signal,
    );
    return { rows: actions, cursor };
  });
  return (
    <List
      id="actions"
      title="Actions"
      none="No actions recorded."
      heads={['When', 'Who', 'Action', 'Details']}
      pages={pages}
      row={action => (
        <tr key={`${action.at} ${action.operation}`}>
          <td class="nowrap" data-title="When">
            <Ago at={action.at} />
          </td>
          <td data-title="Who">
            <bdi>{action.who}</bdi>
            {!action.isProven && <span class="quiet"> (unverified)</span>}
          </td>
          <td data-title="Action" class="mono">
            {action.operation}
          </td>
          <td data-title="Details">
            <bdi>{action.details}</bdi>
          </td>
        </tr>
      )}
    />
  );
}
