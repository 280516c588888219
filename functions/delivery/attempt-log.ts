import type { Attempt } from '../model/delivery.ts';
import type { EndpointSecret, EndpointSettings } from '../model/endpoint.ts';
import { originOf } from '../model/secret.ts';
import type { Deliveries } from '../store/store.ts';
import type { Outcome } from './http/outcome.ts';
import type { Answer, NoAnswer } from './http/post.ts';
import { harmless } from './http/quote.ts';
import type { DeliveryPorts } from './settler.ts';

/** An attempt and its outcome. */
interface FinishedAttempt {
  /** In ms since 1970, as `ended`. */
  readonly began: number;
  readonly ended: number;
  readonly answer: Answer | NoAnswer;
  readonly outcome: Outcome;
  readonly secret: EndpointSecret;
}

/** An event that an attempt sent. */
interface SentEvent {
  readonly event: { readonly id: string; readonly type: string };
  /** The position of its delivery; absent for a test event. */
  readonly at?: number;
}

/** An item of the table has at most 400 KB. */
const MAX_EVENTS = 500;

/** An attempt in its stored form; that of a summary in several, each with a part of its events and without the
 *  answer. */
export function attemptsOf(
  endpoint: string,
  sent: readonly SentEvent[],
  finished: FinishedAttempt,
): Attempt[] {
  const parts = partsOf(sent).map(part => attemptOf(endpoint, part, finished));
  // An erasure removes answers by the events of their row; this one may quote the events of all parts.
  return parts.length > 1 ? parts.map(({ answer: _, ...part }) => part) : parts;
}

/** That events need no message, as an attempt that succeeded at `at` (ms since 1970): `trace` and `verify` find it. */
export function attemptsOfOmitted(endpoint: string, omitted: readonly SentEvent[], at: number): Attempt[] {
  return partsOf(omitted).map(part => ({ endpoint, at, events: part.map(eventOf), took: 0 }));
}

function partsOf(sent: readonly SentEvent[]): SentEvent[][] {
  const parts = Math.ceil(sent.length / MAX_EVENTS);
  return Array.from({ length: parts }, (_, part) => sent.slice(part * MAX_EVENTS, (part + 1) * MAX_EVENTS));
}

function eventOf({ event: { id, type }, at }: SentEvent): Attempt['events'][number] {
  return { id, type, ...(at !== undefined && { at }) };
}

/** An attempt in its stored form. */
export function attemptOf(
  endpoint: string,
  sent: readonly SentEvent[],
  { began, ended, answer, outcome, secret }: FinishedAttempt,
): Attempt {
  const answered = 'status' in answer ? answer : undefined;
  const isFailed = outcome.kind !== 'delivered';
  const headers = isFailed ? harmlessHeaders(answered?.headers, secret) : {};
  const text = answered?.body === undefined ? undefined : harmless(answered.body, secret);
  return {
    endpoint,
    at: began,
    events: sent.map(eventOf),
    origin: originOf(secret),
    ...(answered && { status: answered.status }),
    ...(isFailed && { failure: outcome.reason }),
    took: ended - began,
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(text !== undefined && { answer: text }),
  };
}

const MAX_HEADER_LENGTH = 200;

function harmlessHeaders(
  headers: Readonly<Record<string, string>> = {},
  secret: EndpointSecret,
): Readonly<Record<string, string>> {
  const kept = Object.entries(headers).flatMap(([name, value]) => {
    const text = harmless(value.slice(0, MAX_HEADER_LENGTH), secret);
    return text === undefined ? [] : [[name, text]];
  });
  return Object.fromEntries(kept);
}

/** Saves the attempts of one run at its end, so that a throttled table delays no delivery. Successes are saved
 *  only with the setting `keepSuccesses`. Never rejects. */
export async function keepAttempts(
  { name, keepSuccesses = true }: Pick<EndpointSettings, 'name' | 'keepSuccesses'>,
  attempts: readonly Attempt[],
  { deliveries, log }: Pick<DeliveryPorts, 'log'> & { readonly deliveries: Pick<Deliveries, 'note'> },
): Promise<void> {
  const kept = attempts.filter(({ failure }) => keepSuccesses || failure !== undefined);
  try {
    if (kept.length > 0) await deliveries.note(kept);
  } catch (error) {
    log.warn('Could not save attempts; the deliveries themselves are not affected.', {
      code: 'delivery.attempts-not-saved',
      endpoint: name,
      attempts: kept.length,
      error: String(error),
    });
  }
}
