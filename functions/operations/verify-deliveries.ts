import * as z from 'zod';
import { mapInParallel } from '../basics/in-parallel.ts';
import type { ProcessKey } from '../basics/process.ts';
import { serialise } from '../changes/fit-event.ts';
import { placeOf } from '../delivery/read-event.ts';
import { isErased } from '../model/erase.ts';
import { wants } from '../model/filter.ts';
import type { JournalEntry } from '../store/store.ts';
import type { OperationsContext } from './context.ts';
import { allEndpoints, type FoundEndpoint } from './endpoints.ts';
import { CONCURRENCY, cursorTo, iso, readCursor, searchJournal } from './page.ts';
import type { AnswerOf } from './protocol/answers.ts';

type Ports = Pick<
  OperationsContext,
  'journal' | 'endpoints' | 'configured' | 'deliveries' | 'actions' | 'clock' | 'isRunning' | 'keep'
>;
type Answer = AnswerOf<'verify'>;

/** A younger event may still be on its way. An endpoint that was changed may get events by its former settings
 *  as long. */
const SETTLE_MS = 15 * 60_000;
const DAY_MS = 24 * 3_600_000;
/** Deliveries in one slice. */
const MAX_DELIVERIES = 500;
const MAX_ATTEMPTS = 100;
const MAX_ACTIONS = 100;

const place = z.strictObject({ record: z.string(), until: z.number() });

/** A slice of the deliveries of a process's events. Each is delivered, in the backlog or dead; without a trace
 *  it is missing, or unknown if the endpoint does not show that it should have one. */
export async function readDeliveries(
  context: Ports,
  process: ProcessKey,
  cursor: string | undefined,
): Promise<Partial<Answer>> {
  const now = context.clock();
  const { attempts } = context.keep;
  const begun = readCursor('verify', cursor, place);
  const until = begun?.until ?? now - SETTLE_MS;
  const endpoints = await mapInParallel(await allEndpoints(context), CONCURRENCY, async found => ({
    ...found,
    knownSince: await knownSince(context, found),
  }));
  const asked: { entry: JournalEntry; endpoint: (typeof endpoints)[number] }[] = [];
  let [last, readTo]: [string | undefined, number | undefined] = [begun?.record, undefined];
  const search = {
    order: 'oldest-first',
    // Older attempts may be deleted already.
    since: now - attempts + Math.min(DAY_MS, attempts / 2),
    until,
    processes: [process],
    from: last,
  } as const;
  const isLast = await searchJournal(context, search, record => {
    if (record.position === begun?.record) return false;
    [last, readTo] = [record.position, record.at];
    for (const event of record.events().filter(event => !isErased(event)))
      for (const endpoint of endpoints)
        if (record.at >= (endpoint.row?.addedAt ?? 0) && wants(endpoint.endpoint.filter ?? {}, event))
          asked.push({ entry: { event, at: record.at }, endpoint });
    return asked.length >= MAX_DELIVERIES;
  });
  const counts = { delivered: 0, waiting: 0, dead: 0, unknown: 0 };
  const missing: { event: string; endpoint: string }[] = [];
  const states = await mapInParallel(asked, CONCURRENCY, ({ entry, endpoint }) =>
    stateOf(context, entry, endpoint.endpoint.name),
  );
  for (const [index, state] of states.entries()) {
    const { entry, endpoint } = asked[index] as (typeof asked)[number];
    if (state) counts[state] += 1;
    else if (entry.at < endpoint.knownSince) counts.unknown += 1;
    else missing.push({ event: entry.event.id, endpoint: endpoint.endpoint.name });
  }
  const next = isLast || last === undefined ? undefined : { record: last, until };
  return {
    deliveries: { ...counts, missing },
    ...(readTo !== undefined && { readTo: iso(readTo) }),
    ...cursorTo('verify', next),
  };
}

async function stateOf({ deliveries }: Ports, { event, at }: JournalEntry, endpoint: string) {
  const place = { eventId: event.id, at: placeOf(serialise(event))?.at ?? at };
  const attempts = await deliveries.attemptsOf(endpoint, place, MAX_ATTEMPTS);
  if (attempts.some(({ failure }) => failure === undefined)) return 'delivered';
  if (await deliveries.find(endpoint, place)) return 'waiting';
  return (await deliveries.findDead(endpoint, place)) ? 'dead' : undefined;
}

/** Since when every event that the endpoint wants has a trace. Never, if successes are not kept; while nothing
 *  runs, because events may wait for their routing; or with a filter of the configuration, which a deployment
 *  may have changed. */
async function knownSince(context: Ports, found: FoundEndpoint): Promise<number> {
  const { endpoint, isConfigured, row } = found;
  const { name, filter = {}, keepSuccesses = true } = endpoint;
  const mayDiffer = isConfigured && Object.keys(filter).length > 0;
  if (!context.isRunning || !keepSuccesses || mayDiffer) return Number.POSITIVE_INFINITY;
  const keptUntil = context.clock() + SETTLE_MS;
  const [first] = await context.deliveries.attempts(name, 1, { oldestFirst: true, keptUntil });
  if (!first) return Number.POSITIVE_INFINITY;
  const { actions } = await context.actions.list({ endpoint: name }, MAX_ACTIONS);
  const changed = actions.find(({ operation }) => operation === 'update-endpoint')?.at ?? 0;
  // Further actions are older, but may be changes, too.
  const listed = actions.length === MAX_ACTIONS ? (actions.at(-1)?.at ?? 0) : 0;
  return Math.max(first.at, SETTLE_MS + Math.max(changed, listed, row?.addedAt ?? 0));
}
