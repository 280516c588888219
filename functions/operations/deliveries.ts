import * as z from 'zod';
import { mapInParallel } from '../basics/in-parallel.ts';
import { testEvent } from '../changes/build-events.ts';
import { serialise } from '../changes/fit-event.ts';
import { attemptOf, keepAttempts } from '../delivery/attempt-log.ts';
import { closedTo, joined } from '../delivery/health.ts';
import { judged } from '../delivery/kinds.ts';
import { placeOf, readEvent } from '../delivery/read-event.ts';
import type { Attempt, NewDelivery } from '../model/delivery.ts';
import type { EndpointRow } from '../model/endpoint-row.ts';
import { isErased } from '../model/erase.ts';
import { leftOutBy } from '../model/filter.ts';
import { isPulled } from '../model/kinds.ts';
import type { JournalEntry } from '../store/store.ts';
import { acted, type OperationOf, type OperationsContext } from './context.ts';
import { readSecret } from './endpoint-settings.ts';
import { allEndpoints, changeRow, countOf, type FoundEndpoint, findEndpoint, wake } from './endpoints.ts';
import { findEvent } from './events.ts';
import { CONCURRENCY, cursorTo, DEFAULT_LIMIT, iso, MAX_COUNTED, readCursor } from './page.ts';
import type { AnswerOf } from './protocol/answers.ts';
import { Refused } from './refused.ts';

/** A page ends after this many attempts, if those of one event or failed ones are searched for. */
const MAX_SEARCHED = 1_000;
const SLICE = 100;

const pageEnd = z.strictObject({
  at: z.number(),
  events: z.array(z.strictObject({ id: z.string(), type: z.string() })),
});

/** A page of an endpoint's attempts, or of those that failed or sent one event, the newest first. */
export const listAttempts: OperationOf<'attempts'> = async (
  context,
  { endpoint, eventId, failed = false, names = false, limit = DEFAULT_LIMIT, cursor },
) => {
  await findEndpoint(context, endpoint);
  // No attempt before the commit can have sent the event. If the journal has it no longer, all are searched.
  const since = eventId === undefined ? undefined : (await context.journal.find(eventId))?.at;
  const isMeant = ({ events, failure }: Attempt) =>
    (eventId === undefined || events.some(({ id }) => id === eventId)) && !(failed && failure === undefined);
  const size = eventId === undefined && !failed ? limit : SLICE;
  const attempts: AttemptAnswer[] = [];
  let last: z.infer<typeof pageEnd> | undefined = readCursor('attempts', cursor, pageEnd);
  for (let read = 0; read < MAX_SEARCHED && attempts.length < limit; read += size) {
    const slice = await context.deliveries.attempts(endpoint, size, { after: last, since });
    for (const attempt of slice) {
      if (attempts.length === limit) break;
      const [first] = attempt.events;
      last = { at: attempt.at, events: first ? [{ id: first.id, type: first.type }] : [] };
      if (isMeant(attempt)) attempts.push(attemptAnswer(attempt));
    }
    if (slice.length < size && attempts.length < limit) {
      last = undefined;
      break;
    }
  }
  const named = names
    ? await mapInParallel(attempts, CONCURRENCY, each => withNames(context, each))
    : attempts;
  return { attempts: named, ...cursorTo('attempts', last) };
};

/** A message of a chat may have hundreds. */
const NAMED_EVENTS = 3;

async function withNames({ journal }: OperationsContext, attempt: AttemptAnswer): Promise<AttemptAnswer> {
  const events = attempt.events.map(async (event, index) => {
    const found = index < NAMED_EVENTS ? await journal.find(event.id) : undefined;
    return { ...event, ...(found && recordOf(found.event.data)) };
  });
  return { ...attempt, events: await Promise.all(events) };
}

/** The names of the project and task of an event. */
function recordOf(data: object): { readonly record?: string } {
  const { project, task } = data as Record<'project' | 'task', { readonly name?: unknown } | undefined>;
  const names = [project?.name, task?.name].filter(name => typeof name === 'string');
  return names.length > 0 ? { record: names.join(' › ') } : {};
}

type AttemptAnswer = AnswerOf<'test-endpoint'>;

function attemptAnswer({ at, ...attempt }: Attempt): AttemptAnswer {
  return { ...attempt, at: iso(at), events: attempt.events.map(({ id, type }) => ({ id, type })) };
}

/** A page of an endpoint's dead letters, the oldest first. */
export const listDeadLetters: OperationOf<'dead-letters'> = async (
  context,
  { endpoint, limit = DEFAULT_LIMIT, cursor },
) => {
  await findEndpoint(context, endpoint);
  const after = readCursor('dead-letters', cursor, z.string());
  const letters = await context.deliveries.dead(endpoint, limit, after);
  const last = letters.length < limit ? undefined : letters.at(-1)?.place;
  return {
    deadLetters: letters.map(({ eventId, at, diedAt, reason, attempts, body }) => ({
      ...{ endpoint, eventId, ...recordOf(dataOf(body)), reason, attempts },
      publishedAt: iso(at),
      diedAt: iso(diedAt),
    })),
    ...cursorTo('dead-letters', last),
  };
};

function dataOf(body: string): object {
  const read = readEvent(body);
  return 'event' in read ? read.event.data : {};
}

/** Sends one event to one endpoint again, regardless of its filter: its dead letter, or else the event from
 *  the journal. It is sent as a replay. */
export const resend: OperationOf<'resend'> = async (context, { eventId, to }) => {
  const { deliveries, clock } = context;
  const found = await findEndpoint(context, to);
  const closed = closedTo(found.row?.health ?? {}, clock());
  const answer = (result: 'sent' | 'already waiting') => ({
    ...{ endpoint: to, eventId, result },
    ...(closed && { closed }),
  });
  const isRequeued = (await deliveries.requeue(to, clock(), eventId)) > 0;
  const added: NewDelivery[] = [];
  if (!isRequeued) {
    const { event } = await findEvent(context, eventId);
    if (isErased(event))
      throw new Refused(
        'The contents of this event were erased. Send the current state instead: a snapshot.',
      );
    const delivery = deliveryOf(to, event, clock());
    if (await deliveries.find(to, delivery)) {
      // Only the row of an interrupted command may be there, for which no run looks.
      await startSending(context, found);
      return { answer: answer('already waiting') };
    }
    added.push(delivery);
  }
  await startSending(context, found, added);
  return acted({ endpoint: to }, answer('sent'), [`event ${eventId}`]);
};

/** Requeues up to a thousand dead letters of an endpoint, oldest first. */
export const resendDead: OperationOf<'resend-dead'> = async (context, { to, dryRun = false }) => {
  const { deliveries, clock } = context;
  const found = await findEndpoint(context, to);
  if (dryRun) {
    const { dead } = await deliveries.counts(to, MAX_COUNTED);
    return { answer: { endpoint: to, deliveries: countOf(dead), dryRun } };
  }
  const count = await deliveries.requeue(to, clock(), undefined, MAX_COUNTED);
  // An interrupted command may have requeued some, for which no run looks.
  if (count > 0 || (await deliveries.due(to, clock(), 1)).length > 0) await startSending(context, found);
  const isLeft = (await deliveries.dead(to, 1)).length > 0;
  const answer = { endpoint: to, deliveries: { atLeast: count, isExact: !isLeft }, dryRun };
  return count > 0 ? acted({ endpoint: to }, answer, [`${count} deliveries`]) : { answer };
};

/** An event of the journal as a delivery that is due at once. It has the same place as when it came through
 *  the queue. */
export function deliveryOf(endpoint: string, event: { readonly id: string }, due: number): NewDelivery {
  const body = serialise(event);
  const at = placeOf(body)?.at ?? due;
  return { endpoint, eventId: event.id, at, body, attributes: {}, replay: true, due };
}

interface Addition {
  readonly added: readonly NewDelivery[];
  /** The endpoint's row once they are added. */
  readonly change: (row: EndpointRow) => EndpointRow;
}

/** Adds deliveries, and mentions them in the endpoint's row. If the endpoint was removed in between, they are, too: a
 *  later one of its name must not get them.
 *  @throws Refused when it was removed */
export async function addDeliveries(
  ports: Pick<OperationsContext, 'configured' | 'endpoints' | 'deliveries'>,
  found: FoundEndpoint,
  { added, change }: Addition,
): Promise<EndpointRow> {
  await ports.deliveries.add(added);
  try {
    return await changeRow(ports, found, change);
  } catch (error) {
    if (error instanceof Refused) await ports.deliveries.forget(added);
    throw error;
  }
}

/** Notes the backlog in the endpoint's row, without making new deliveries wait for it, and schedules a
 *  drain. */
async function startSending(
  context: OperationsContext,
  found: FoundEndpoint,
  added: readonly NewDelivery[] = [],
): Promise<void> {
  const change = (row: EndpointRow) => ({ ...row, health: joined(row.health, context.clock(), false) });
  await addDeliveries(context, found, { added, change });
  await wake(context, found);
}

type Traced = AnswerOf<'trace'>['endpoints' | 'leftOut'][number];

/** Only the last attempts of an event are searched for a success. */
const MAX_ATTEMPTS = 100;
/** Attempts shown per endpoint; fewer with MANY endpoints, because the answer's size is limited. */
const [SHOWN_ATTEMPTS, SHOWN_OF_MANY, MANY] = [10, 1, 200];

/** Traces one event: when it was committed, whether it was published, and its delivery to each endpoint. */
export const traceEvent: OperationOf<'trace'> = async (context, { eventId }) => {
  const entry = await findEvent(context, eventId);
  const endpoints = await allEndpoints(context);
  const shown = endpoints.length > MANY ? SHOWN_OF_MANY : SHOWN_ATTEMPTS;
  const all = await mapInParallel(endpoints, CONCURRENCY, found => resultAt(context, entry, found));
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
};

/** The deliveries of the event to an endpoint, or the key of its filter that excludes the event. */
async function resultAt(
  { deliveries, clock }: OperationsContext,
  { event, at }: JournalEntry,
  { endpoint, row }: FoundEndpoint,
): Promise<Traced> {
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
  // A message of a chat may have hundreds of others.
  const alone = ({ events, ...more }: Attempt) =>
    attemptAnswer({ ...more, events: events.filter(({ id }) => id === event.id) });
  const tries = { attempts: attempts.map(alone) };
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
  throttled: 'the endpoint asked to slow down',
  backlog: 'earlier events are queued',
} as const;

/** Sends a test event to one endpoint at once, regardless of its filter, and even while it is paused, stopped or
 *  failing, which stays as it is. The event is signed and formatted as all are, and tried once. The answer has
 *  the first 1 KB of the receiver's answer, made harmless.
 *
 *  Address and secrets are read each time: an operator who tests an endpoint has often just changed them. */
export const testEndpoint: OperationOf<'test-endpoint'> = async (context, { endpoint: name }) => {
  const { endpoint } = await findEndpoint(context, name);
  if (isPulled(endpoint))
    throw new Refused('An endpoint of kind pull has no address to test: take its events instead.');
  const secret = await readSecret(context, endpoint);
  const began = context.clock();
  const tag = Buffer.from(context.randomBytes(4)).toString('hex');
  const event = testEvent(name, { at: began, tag });
  const poster = context.openPoster();
  try {
    const body = serialise(event);
    const delivery = { endpoint: name, id: event.id, eventId: event.id, at: began, body, attributes: {} };
    const [job] = context.jobsOf([{ ...delivery, event }], endpoint).jobs;
    const request = job?.request(context.clock(), secret) ?? { body, headers: {} };
    const answer = await poster.post(secret.url, request);
    const made = { began, ended: context.clock(), ...judged(endpoint, answer, secret), secret };
    const attempt = attemptOf(name, [{ event }], made);
    await keepAttempts(endpoint, [attempt], context);
    const result = attempt.failure ?? `answered ${attempt.status}`;
    return acted({ endpoint: name }, attemptAnswer(attempt), [result]);
  } finally {
    await poster.close();
  }
};
