import { inParallel } from '../basics/in-parallel.ts';
import type { ChangeEvent } from '../changes/event.ts';
import { serialise } from '../changes/serialise.ts';
import type { Attempt } from '../delivery/deliveries.ts';
import { closedTo } from '../delivery/health.ts';
import { placeOf } from '../delivery/read-event.ts';
import { wants } from '../endpoints/filter.ts';
import { attemptAnswer } from './attempts.ts';
import { iso } from './cursor.ts';
import { allEndpoints } from './endpoint-status.ts';
import type { Found } from './house.ts';
import type { FoundEntry } from './journal.ts';
import { type OperationsHouse, WIDTH } from './operations-house.ts';
import type { AnswerOf } from './protocol/answers.ts';
import type { RequestOf } from './protocol/requests.ts';
import { Refused } from './refused.ts';

type Fate = AnswerOf<'trace'>['endpoints'][number];

/** Attempts are searched for among the first ones within so many ms after the commit, and among the newest:
 *  SEARCHED of each. */
const SOON_MS = 10 * 60_000;
const SEARCHED = 200;
/** How many of the last attempts are shown per endpoint, and how many if there are MANY endpoints: the answer
 *  must fit. */
const [SHOWN_ATTEMPTS, SHOWN_OF_MANY, MANY] = [10, 1, 200];

/** Traces one event: when it was committed, whether it was published, and what became of it at each
 *  endpoint. */
export async function traceEvent(
  { eventId }: RequestOf<'trace'>,
  house: OperationsHouse,
): Promise<AnswerOf<'trace'>> {
  const entry = await findEvent(eventId, house);
  const endpoints = await allEndpoints(house);
  const shown = endpoints.length > MANY ? SHOWN_OF_MANY : SHOWN_ATTEMPTS;
  const fates = new Map<Found, Fate>();
  await inParallel(endpoints, WIDTH, async found => {
    const fate = await fateOf(entry, found, house);
    if (fate) fates.set(found, { ...fate, attempts: fate.attempts.slice(-shown) });
  });
  const told = endpoints.flatMap(found => fates.get(found) ?? []);
  const isKnown = told.some(({ state, isWanted }) => state !== 'unknown' && isWanted);
  const published = entry.isPublished ?? (isKnown || undefined);
  return {
    committedAt: iso(entry.at),
    event: entry.event,
    published: published === undefined ? 'unknown' : published ? 'yes' : 'not yet',
    endpoints: told,
    notWanted: endpoints.length - told.length,
  };
}

/** @throws Refused when the journal doesn't have it */
export async function findEvent(
  eventId: string,
  { journal }: Pick<OperationsHouse, 'journal'>,
): Promise<FoundEntry> {
  const entry = await journal.find(eventId);
  if (!entry)
    throw new Refused(
      'There is no event of this id in the last 30 days. `events` lists them with their ids.',
    );
  return entry;
}

/** Undefined when the endpoint's filter leaves the event out, and it never got it. */
async function fateOf(
  { event, at }: FoundEntry,
  { endpoint, row }: Found,
  { deliveries, clock }: OperationsHouse,
): Promise<Fate | undefined> {
  const { name, filter = {} } = endpoint;
  const isWanted = wants(filter, event);
  const place = { eventId: event.id, at: placeOf(serialise(event))?.at ?? at };
  const [soon, newest, waiting, dead] = await Promise.all([
    deliveries.attempts(name, SEARCHED, { since: at, until: at + SOON_MS, oldestFirst: true }),
    deliveries.attempts(name, SEARCHED, { since: at }),
    deliveries.find(name, place),
    deliveries.findDead(name, place),
  ]);
  const attempts = attemptsOf(event, [...soon, ...newest]);
  const head = { endpoint: name, isWanted };
  const told = { attempts: attempts.map(attemptAnswer) };
  if (waiting) {
    const closed = closedTo(row?.health ?? {}, clock());
    const reason = closed ? { reason: REASONS[closed] } : {};
    return { ...head, state: 'waiting', nextTryAt: iso(waiting.due), ...reason, ...told };
  }
  if (attempts.some(({ failure }) => failure === undefined)) return { ...head, state: 'delivered', ...told };
  if (dead) return { ...head, state: 'dead', reason: dead.reason, ...told };
  return isWanted || attempts.length > 0 ? { ...head, state: 'unknown', ...told } : undefined;
}

/** The attempts that sent an event, the oldest first, each once. */
function attemptsOf({ id }: ChangeEvent, all: readonly Attempt[]): Attempt[] {
  const ofEvent = all.filter(({ events }) => events.some(event => event.id === id));
  const byKey = new Map(ofEvent.map(attempt => [`${attempt.at} ${attempt.events[0]?.id}`, attempt]));
  return [...byKey.values()].toSorted((one, other) => one.at - other.at);
}

const REASONS = {
  paused: 'the endpoint is paused',
  stopped: 'the endpoint is stopped',
  failing: 'the endpoint is failing: one probe at a time is sent',
  held: 'the endpoint asked for less',
  behind: 'others wait before it',
} as const;
