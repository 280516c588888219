import * as z from 'zod';
import { mapInParallel } from '../basics/in-parallel.ts';
import type { ProcessKey } from '../basics/process.ts';
import { withheldProperties } from '../basics/property-names.ts';
import { serialise } from '../changes/fit-event.ts';
import { placeOf } from '../delivery/read-event.ts';
import { isErased } from '../model/erase.ts';
import { wants } from '../model/filter.ts';
import type { Withheld } from '../model/snapshot.ts';
import { type JournalEntry, TornSnapshotError } from '../store/store.ts';
import type { OperationOf, OperationsContext } from './context.ts';
import { allEndpoints, type FoundEndpoint } from './endpoints.ts';
import { CONCURRENCY, cursorTo, iso, readCursor, searchJournal } from './page.ts';
import { findProcess, ignoredOf, namesOf } from './processes.ts';
import type { AnswerOf } from './protocol/answers.ts';
import type { RequestOf } from './protocol/requests.ts';
import { wrongRequest } from './refused.ts';
import { changeOf, recordsOf } from './verify/facts.ts';
import { readService } from './verify-service.ts';

/** A slice ends at this size, so that it fits into an answer, and after this time. */
const MAX_BYTES = 2_000_000;
const SLICE_TIMEOUT_MS = 2_000;

const DAY_MS = 24 * 3_600_000;
/** The oldest events are left out: DynamoDB deletes change records in any order once they have expired. A version
 *  may be later than its commit by the difference of two pollers' clocks. */
const MARGIN_MS = 2 * DAY_MS;
const MAX_SKEW_MS = DAY_MS;
/** Change records that expire this soon are left out, because they may be deleted before the last slice is read. */
const MAX_RUN_MS = DAY_MS;

/** A slice of what `verify` compares (design.md §13). The client compares: it alone sees all slices. */
export const verifySlice: OperationOf<'verify'> = async (context, asked) => {
  const process = await findProcess(context, asked);
  const at = iso(context.clock());
  const read = {
    isBaselined: true,
    changes: [],
    snapshots: [],
    ...(await READERS[asked.part](context, process, asked)),
  };
  return { ...namesOf(process), at, ...read };
};

type Slice = Partial<AnswerOf<'verify'>>;
type Asked = RequestOf<'verify'>;

const READERS: Readonly<
  Record<Asked['part'], (context: OperationsContext, process: ProcessKey, asked: Asked) => Promise<Slice>>
> = {
  journal: readJournal,
  snapshots: readSnapshots,
  deliveries: readDeliveries,
  service: readService,
};

/** The first version that counts, the first expiry that does, and the last record that was read. */
const journalPlace = z.strictObject({ first: z.number(), expiry: z.number(), record: z.string() });

async function readJournal(context: OperationsContext, process: ProcessKey, asked: Asked): Promise<Slice> {
  const place = readCursor('verify', asked.cursor, journalPlace);
  const first = place?.first ?? (await firstVersion(context, process));
  if (first === undefined) return { isBaselined: false };
  const expiry = place?.expiry ?? context.clock() + Math.min(MAX_RUN_MS, context.keep.journal / 4);
  const ignored = await ignoredOf(context, process);
  const changes: AnswerOf<'verify'>['changes'] = [];
  let [bytes, last, readTo]: [number, string | undefined, number | undefined] = [0, place?.record, undefined];
  const search = {
    order: 'oldest-first',
    since: asked.since === undefined ? first - MAX_SKEW_MS : Date.parse(asked.since),
    until: Number.MAX_SAFE_INTEGER,
    processes: [process],
    from: last,
  } as const;
  const isLast = await searchJournal(context, search, record => {
    if (record.position === place?.record) return false;
    [last, readTo] = [record.position, record.at];
    // Records from before a change of `keep` expire earlier or later than others of their age.
    if (record.expiresAt !== undefined && record.expiresAt < expiry) return false;
    for (const event of record.events()) {
      const change = changeOf(event, ignored);
      if (!change || change.version < first) continue;
      changes.push(change);
      bytes += sizeOf(change);
    }
    return bytes > MAX_BYTES;
  });
  const next = isLast || last === undefined ? undefined : { first, expiry, record: last };
  return { changes, ...(readTo !== undefined && { readTo: iso(readTo) }), ...cursorTo('verify', next) };
}

/** The first version that counts; undefined before the baseline. Earlier events do not lead to the snapshots
 *  of a new baseline, which a forgotten process begins with, or to restored ones. */
async function firstVersion(context: OperationsContext, process: ProcessKey): Promise<number | undefined> {
  const { baselined, baselinedAt = 0 } = await context.states.progress(process);
  if (!baselined) return undefined;
  const first = Math.max(oldestVerified(context), baselinedAt);
  return Math.max(first, await restoredAt(context, process, first));
}

/** The version from which on events are verified. */
function oldestVerified({ keep: { journal }, clock }: Pick<OperationsContext, 'keep' | 'clock'>): number {
  return clock() - journal + Math.min(MARGIN_MS, journal / 2);
}

/** The operation in the action log after which snapshots are those of an earlier time. */
export const RESTORE = 'restore-table';
const MAX_ACTIONS = 100;

/** When snapshots of the process were last restored; 0 if not since then. */
async function restoredAt(
  { actions }: OperationsContext,
  process: ProcessKey,
  since: number,
): Promise<number> {
  for (let after: string | undefined; ; ) {
    const page = await actions.list({ process }, MAX_ACTIONS, after);
    const found = page.actions.find(({ operation }) => operation === RESTORE);
    if (found) return found.at;
    after = page.position;
    if (after === undefined || page.actions.some(({ at }) => at < since)) return 0;
  }
}

/** The next project, by its place in the request, and its next record. */
const snapshotPlace = z.strictObject({ project: z.int(), record: z.int() });

async function readSnapshots(
  { snapshots, keep, clock }: OperationsContext,
  process: ProcessKey,
  { projects, cursor }: Asked,
): Promise<Slice> {
  if (!projects) throw wrongRequest('projects: required for the part snapshots.');
  const began = clock();
  const read: AnswerOf<'verify'>['snapshots'] = [];
  let bytes = 0;
  let { project: index, record } = readCursor('verify', cursor, snapshotPlace) ?? { project: 0, record: 0 };
  for (; index < projects.length; index += 1) {
    if (bytes > MAX_BYTES || (read.length > 0 && clock() - began > SLICE_TIMEOUT_MS))
      return { snapshots: read, ...cursorTo('verify', { project: index, record }) };
    const project = projects[index] as string;
    const { all, ...head } = await readSnapshot(snapshots, process, {
      projectId: project,
      since: oldestVerified({ keep, clock }),
    });
    let end = record;
    while (end < all.length && (end === record || bytes <= MAX_BYTES)) bytes += sizeOf(all[end++]);
    read.push({ project, ...head, records: all.slice(record, end) });
    if (end < all.length) return { snapshots: read, ...cursorTo('verify', { project: index, record: end }) };
    record = 0;
  }
  return { snapshots: read };
}

/** The properties that events do not lead to: withheld now, or since an event that counts. */
function withheldBy({ names, shown = [] }: Withheld, since: number): string[] {
  const lately = shown.filter(([, version]) => version >= since).map(([name]) => name);
  return [...withheldProperties([...names, ...lately])];
}

async function readSnapshot(
  snapshots: OperationsContext['snapshots'],
  process: ProcessKey,
  { projectId, since }: { readonly projectId: string; readonly since: number },
) {
  try {
    const snapshot = await snapshots.load(process, projectId);
    if (!snapshot) return { all: [] };
    const { content, version, withheld } = snapshot;
    return {
      all: [...recordsOf(projectId, content)],
      version,
      ...(withheld && { withheld: withheldBy(withheld, since) }),
    };
  } catch (error) {
    if (error instanceof TornSnapshotError) return { all: [], problem: error.message };
    throw error;
  }
}

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** A younger event may still be on its way. An endpoint that was changed may get events by its former settings
 *  as long. */
const SETTLE_MS = 15 * 60_000;
/** Deliveries in one slice. */
const MAX_DELIVERIES = 500;
const MAX_ATTEMPTS = 100;

/** The last record that was read, and where the deliveries end. */
const deliveryPlace = z.strictObject({ record: z.string(), until: z.number() });

/** A slice of the deliveries of a process's events. Each is delivered, in the backlog or dead; without a trace
 *  it is missing, or unknown if the endpoint does not show that it should have one. */
async function readDeliveries(
  context: OperationsContext,
  process: ProcessKey,
  { cursor }: Asked,
): Promise<Slice> {
  const now = context.clock();
  const { attempts } = context.keep;
  const begun = readCursor('verify', cursor, deliveryPlace);
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

async function stateOf({ deliveries }: OperationsContext, { event, at }: JournalEntry, endpoint: string) {
  const place = { eventId: event.id, at: placeOf(serialise(event))?.at ?? at };
  const attempts = await deliveries.attemptsOf(endpoint, place, MAX_ATTEMPTS);
  if (attempts.some(({ failure }) => failure === undefined)) return 'delivered';
  if (await deliveries.find(endpoint, place)) return 'waiting';
  return (await deliveries.findDead(endpoint, place)) ? 'dead' : undefined;
}

/** Since when every event that the endpoint wants has a trace. Never, if successes are not kept; while nothing
 *  runs, because events may wait for their routing; or with a filter of the configuration, which a deployment
 *  may have changed. */
async function knownSince(context: OperationsContext, found: FoundEndpoint): Promise<number> {
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
