import { useState } from 'preact/hooks';
import type { AnswerOf } from '../../functions/operations/protocol/answers.ts';
import { addressOf } from '../model/routes.ts';
import { receiverOf, type Tone } from '../model/status-words.ts';
import { useStore } from '../state/store.ts';
import { useWorld } from '../state/use.ts';
import { Action } from './action.tsx';
import { AttemptList } from './attempt.tsx';
import { Badge } from './states.tsx';
import { Due } from './times.tsx';

type Trace = AnswerOf<'trace'>;
type DeliveryResult = Trace['endpoints'][number];

const TONES: Record<DeliveryResult['state'], Tone> = {
  delivered: 'good',
  waiting: 'warn',
  dead: 'bad',
  unknown: 'quiet',
};
/** The deliveries of an event: each endpoint, with each attempt and its response. */
export function DeliveryResults({ trace, again }: { readonly trace: Trace; readonly again: () => void }) {
  const { endpoints, leftOut, event } = trace;
  return (
    <section aria-labelledby="deliveries">
      <h2 id="deliveries">Deliveries</h2>
      <div class="sheet">
        {endpoints.length === 0 && (
          <p class="result quiet">
            {leftOut.length > 0 ? 'No endpoint has a matching filter.' : 'No endpoints.'}
          </p>
        )}
        {endpoints.map(result => (
          <DeliveryResultRow key={result.endpoint} result={result} eventId={event.id} again={again} />
        ))}
        {leftOut.map(({ endpoint, by }) => (
          <p class="result quiet" key={endpoint}>
            <a href={addressOf('endpoints', endpoint)}>
              <bdi>{endpoint}</bdi>
            </a>
            : excluded by its filter ({by}).
          </p>
        ))}
        <SendElsewhere eventId={event.id} known={endpoints.map(({ endpoint }) => endpoint)} again={again} />
      </div>
    </section>
  );
}

function DeliveryResultRow({
  result,
  eventId,
  again,
}: {
  readonly result: DeliveryResult;
  readonly eventId: string;
  readonly again: () => void;
}) {
  const { endpoint, state, isWanted, nextTryAt, reason, attempts } = result;
  const send = useSend(eventId, again);
  const status = useStore(useWorld().status).status?.endpoints.find(({ name }) => name === endpoint);
  const isClosed = status?.state === 'paused' || status?.state === 'stopped';
  return (
    <div class="result">
      <div class="result-head">
        <a class="result-name" href={addressOf('endpoints', endpoint)}>
          <bdi>{endpoint}</bdi>
        </a>
        <Badge tone={TONES[state]}>{state}</Badge>
        {nextTryAt !== undefined && (
          <span class="quiet">
            {isClosed ? (
              'sent when you resume the endpoint'
            ) : (
              <>
                next attempt <Due at={nextTryAt} />
              </>
            )}
          </span>
        )}
        <Action class="small end" label={`Send again to ${endpoint}`} act={() => send(endpoint)}>
          Send again
        </Action>
      </div>
      {reason !== undefined && (
        <p class={state === 'dead' ? 'bad-text' : 'quiet'}>
          <bdi>{reason}</bdi>
        </p>
      )}
      {!isWanted && <p class="quiet">Its current filter excludes this event.</p>}
      {attempts.length > 0 && <AttemptList attempts={attempts} />}
      {attempts.length === 0 && state === 'unknown' && (
        <p class="quiet">No attempts: not sent yet, or sent so long ago that they are deleted.</p>
      )}
    </div>
  );
}

/** Sends the event to an endpoint whose filter excludes it. */
function SendElsewhere({
  eventId,
  known,
  again,
}: {
  readonly eventId: string;
  readonly known: readonly string[];
  readonly again: () => void;
}) {
  const { session, status } = useWorld();
  const endpoints = useStore(status).status?.endpoints ?? [];
  const others = endpoints.map(({ name }) => name).filter(name => !known.includes(name));
  const [chosen, setChosen] = useState<string>();
  const send = useSend(eventId, again);
  const to = receiverOf(others, chosen);
  const act = async () => {
    if (to === '') throw new Error('Choose an endpoint.');
    setChosen(to);
    return send(to);
  };
  if (others.length === 0 || session.isReadOnly) return null;
  return (
    <div class="result result-head">
      <label class="inline">
        Send to
        <select value={to} onChange={event => setChosen(event.currentTarget.value)}>
          {to === '' && <option value="">Choose…</option>}
          {others.map(name => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <Action class="small" act={act}>
        Send
      </Action>
    </div>
  );
}

const CLOSED: Record<NonNullable<AnswerOf<'resend'>['closed']>, string> = {
  paused: 'the endpoint is paused',
  stopped: 'the endpoint is stopped',
  failing: 'the endpoint is failing',
  throttled: 'the endpoint asked for a pause',
  backlog: 'its backlog is sent first',
};

function useSend(eventId: string, again: () => void): (to: string) => Promise<string> {
  const { session } = useWorld();
  return async to => {
    const { result, closed } = await session.ask({ operation: 'resend', eventId, to });
    again();
    const later = closed === undefined ? '' : ` It is sent later, because ${CLOSED[closed]}.`;
    return result === 'sent' ? `Sending again to ${to}.${later}` : `Already queued for ${to}.${later}`;
  };
}
