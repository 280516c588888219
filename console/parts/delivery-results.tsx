import { useState } from 'preact/hooks';
import type { AnswerOf } from '../../functions/operations/protocol/answers.ts';
import { addressOf } from '../model/routes.ts';
import type { Tone } from '../model/status-words.ts';
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
const WORDS: Record<DeliveryResult['state'], string> = {
  delivered: 'delivered',
  waiting: 'waiting',
  dead: 'given up',
  unknown: 'nothing known',
};

/** Where an event went: each endpoint, and each attempt with what was answered. */
export function DeliveryResults({ trace, again }: { readonly trace: Trace; readonly again: () => void }) {
  const { endpoints, leftOut, event } = trace;
  return (
    <section aria-labelledby="fates">
      <h2 id="fates">Where it went</h2>
      <div class="sheet">
        {endpoints.length === 0 && (
          <p class="result quiet">
            {leftOut.length > 0 ? 'No endpoint asks for it.' : 'There is no endpoint.'}
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
            : left out by its filter for {by}.
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
        <Badge tone={TONES[state]}>{WORDS[state]}</Badge>
        {nextTryAt !== undefined && (
          <span class="quiet">
            {isClosed ? (
              'sent when the endpoint is resumed'
            ) : (
              <>
                next try <Due at={nextTryAt} />
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
      {!isWanted && <p class="quiet">Its filter leaves this event out now.</p>}
      {attempts.length > 0 && <AttemptList attempts={attempts} />}
      {attempts.length === 0 && state === 'unknown' && (
        <p class="quiet">No attempt is known: it is about to be sent, or that was over 7 days ago.</p>
      )}
    </div>
  );
}

/** Sends the event to an endpoint that did not get it because of its filter. */
function SendElsewhere({
  eventId,
  known,
  again,
}: {
  readonly eventId: string;
  readonly known: readonly string[];
  readonly again: () => void;
}) {
  const endpoints = useStore(useWorld().status).status?.endpoints ?? [];
  const others = endpoints.filter(({ name }) => !known.includes(name));
  const [chosen, setChosen] = useState('');
  const send = useSend(eventId, again);
  const to = others.some(({ name }) => name === chosen) ? chosen : (others[0]?.name ?? '');
  if (others.length === 0) return null;
  return (
    <div class="result result-head">
      <label class="inline">
        Send it to
        <select value={to} onChange={event => setChosen(event.currentTarget.value)}>
          {others.map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <Action class="small" act={() => send(to)}>
        Send
      </Action>
    </div>
  );
}

const CLOSED: Record<string, string> = {
  paused: 'it is paused',
  stopped: 'it was stopped',
  failing: 'it is failing',
  held: 'it asked for a pause',
  after: 'more waits before it',
};

function useSend(eventId: string, again: () => void): (to: string) => Promise<string> {
  const { session } = useWorld();
  return async to => {
    const { result, closed } = await session.ask({ operation: 'resend', eventId, to });
    again();
    const later = closed === undefined ? '' : ` It goes out later, because ${CLOSED[closed] ?? closed}.`;
    return result === 'sent'
      ? `It is sent to ${to} again.${later}`
      : `It is waiting for ${to} already.${later}`;
  };
}
