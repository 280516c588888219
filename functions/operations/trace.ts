import { inParallel } from '../basics/in-parallel.ts';
import { serialise } from '../changes/serialise.ts';
import { closedTo } from '../delivery/health.ts';
import { placeOf } from '../delivery/read-event.ts';
import { leftOutBy } from '../model/filter.ts';
import type { FoundEntry } from '../store/store.ts';
import type { OperationsContext } from './context.ts';
import { attemptAnswer } from './deliveries.ts';
import { allEndpoints, type Found } from './endpoints.ts';
import { findEvent } from './events.ts';
import { CONCURRENCY, iso } from './page.ts';
import type { AnswerOf } from './protocol/answers.ts';
import type { RequestOf } from './protocol/requests.ts';

type Trace = AnswerOf<'trace'>;
type DeliveryStatus = Trace['endpoints'][number];
type LeftOut = Trace['leftOut'][number];

/** A success is searched among this many of an event's last attempts. */
const MAX_ATTEMPTS = 100;
/** How many of the last attempts are shown per endpoint, and how many if there are MANY endpoints: the answer
 *  must fit. */
const [SHOWN_ATTEMPTS, SHOWN_OF_MANY, MANY] = [10, 1, 200];

/** Traces one event: when it was committed, whether it was published, and what became of it at each
 *  endpoint. */
export async function traceEvent(
  context: OperationsContext,
  { eventId }: RequestOf<'trace'>,
): Promise<AnswerOf<'trace'>> {
  const entry = await findEvent(context, eventId);
  const endpoints = await allEndpoints(context);
  const shown = endpoints.length > MANY ? SHOWN_OF_MANY : SHOWN_ATTEMPTS;
  const results = new Map<Found, DeliveryStatus | LeftOut>();
  await inParallel(endpoints, CONCURRENCY, async found => {
    results.set(found, await resultAt(context, entry, found));
  });
  const all = endpoints.flatMap(found => results.get(found) ?? []);
  const shownAt = all.flatMap(one =>
    'state' in one ? { ...one, attempts: one.attempts.slice(-shown) } : [],
  );
  const leftOut = all.flatMap(one => ('state' in one ? [] : one));
  const isKnown = shownAt.some(({ state, isWanted }) => state !== 'unknown' && isWanted);
  const published = entry.isPublished ?? (isKnown || undefined);
  return {
    committedAt: iso(entry.at),
    event: entry.event,
    published: published === undefined ? 'unknown' : published ? 'yes' : 'not yet',
    endpoints: shownAt,
    notWanted: leftOut.length,
    leftOut,
  };
}

/** The deliveries of the event to an endpoint, or which key of its filter leaves out an event that it never got. */
async function resultAt(
  { deliveries, clock }: OperationsContext,
  { event, at }: FoundEntry,
  { endpoint, row }: Found,
): Promise<DeliveryStatus | LeftOut> {
  const { name, filter = {} } = endpoint;
  const by = leftOutBy(filter, event);
  const isWanted = by === undefined;
  const place = { eventId: event.id, at: placeOf(serialise(event))?.at ?? at };
  const [attempts, waiting, dead] = await Promise.all([
    deliveries.attemptsOf(name, place, MAX_ATTEMPTS),
    deliveries.find(name, place),
    deliveries.findDead(name, place),
  ]);
  const head = { endpoint: name, isWanted };
  const tries = { attempts: attempts.map(attemptAnswer) };
  if (waiting) {
    const closed = closedTo(row?.health ?? {}, clock());
    const reason = closed ? { reason: REASONS[closed] } : {};
    return { ...head, state: 'waiting', nextTryAt: iso(waiting.due), ...reason, ...tries };
  }
  if (attempts.some(({ failure }) => failure === undefined)) return { ...head, state: 'delivered', ...tries };
  if (dead) return { ...head, state: 'dead', reason: dead.reason, ...tries };
  if (isWanted || attempts.length > 0) return { ...head, state: 'unknown', ...tries };
  return { endpoint: name, by };
}

const REASONS = {
  paused: 'the endpoint is paused',
  stopped: 'the endpoint is stopped',
  failing: 'the endpoint is failing: one probe at a time is sent',
  held: 'the endpoint asked for less',
  behind: 'others wait before it',
} as const;
