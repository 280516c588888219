import { hash } from 'node:crypto';
import { assert } from '../basics/assert.ts';
import { inParallel } from '../basics/in-parallel.ts';
import type { JsonObject } from '../basics/json.ts';
import { byText } from '../basics/order.ts';
import { canonicalJson } from '../changes/equal.ts';
import { auditEvents, type ReadEntry } from '../changes/process-events.ts';
import type { ChangeEvent } from '../model/event.ts';
import type { ProcessState } from '../model/process-state.ts';
import type { Announcement } from '../store/store.ts';
import type { Actors } from './audit-log/actors.ts';
import { namesIn } from './audit-log/names.ts';
import type { PassContext, PassPorts } from './context/context.ts';
import { ifTorn } from './failures.ts';

/** How many conflicts with other passes are tolerated before this one gives up. */
const MAX_CONFLICTS = 20;

/** An announcement before it has a version: its state is written with the events, so that no pass announces
 *  the same again. */
export interface Draft extends Pick<Announcement, 'state' | 'rechecks' | 'entries'> {
  /** Makes the events: their ids and `sequence` come from the version of the announcement. */
  readonly events: (version: number) => readonly ChangeEvent[];
  /** A smaller part of it, for when all of it is too large for one commit. After that part, `decide` is asked
   *  for the rest. */
  readonly less?: (() => Draft | undefined) | undefined;
}

/** A draft about all these things; while it is too large for one commit, about the first half of them.
 *  @param draft makes a draft about some of them */
export function inHalves<Thing>(
  things: readonly Thing[],
  draft: (some: readonly Thing[]) => Omit<Draft, 'less'>,
): Draft {
  const half = Math.floor(things.length / 2);
  const less = () => (half > 0 ? inHalves(things.slice(0, half), draft) : undefined);
  return { ...draft(things), less };
}

type AnnouncingPorts = Pick<PassPorts, 'process' | 'snapshots' | 'clock' | 'onCommitted'>;

/** Announces something about the process itself, exactly once: events and state are one commit, on the
 *  condition that since the state was read no other pass announced anything and the baseline was not
 *  completed. After a conflict the state is read again, and `decide` is asked what is left to announce. For
 *  the version see nextVersion.
 *  @param state the state by which is first decided what to announce
 *  @returns how many events were emitted
 *  @throws what `decide` throws; and an error when there are too many conflicts */
export async function announce(
  ports: AnnouncingPorts,
  state: ProcessState,
  decide: (state: ProcessState) => Draft | undefined | Promise<Draft | undefined>,
): Promise<number> {
  const { process, snapshots } = ports;
  let current = state;
  let emitted = 0;
  for (let conflicts = 0; conflicts < MAX_CONFLICTS; ) {
    const draft = await decide(current);
    if (!draft) return emitted;
    const result = await commit(ports, current, draft);
    if (result === 'conflict') conflicts += 1;
    else {
      emitted += result.events;
      if (result.isAll) return emitted;
    }
    current = await snapshots.readState(process);
  }
  throw new Error(
    `The events of process ${process.processId} about itself were not committed in ${MAX_CONFLICTS} tries: other passes ` +
      'committed first. The next pass retries; if this continues, check which pollers share the table.',
  );
}

/** Commits as much of it as fits, and returns how much that was. */
async function commit(
  { process, snapshots, clock, onCommitted }: AnnouncingPorts,
  { announced, baselined }: ProcessState,
  whole: Draft,
): Promise<'conflict' | { readonly events: number; readonly isAll: boolean }> {
  for (let draft: Draft | undefined = whole; draft; draft = draft.less?.()) {
    const at = clock();
    const version = nextVersion(announced, at);
    const events = draft.events(version);
    const request = { events, version, at };
    const { state, rechecks = [], entries = [] } = draft;
    checkAnnouncement(draft, request, { announced, baselined });
    const announcement = { announced, isSilent: !baselined, state, rechecks, entries, request };
    const result = await snapshots.announce(process, announcement);
    if (result === 'conflict') return result;
    if (result !== 'committed') continue;
    onCommitted?.(events.map(({ id }) => id));
    return { events: events.length, isAll: draft === whole };
  }
  throw new Error(
    `The events of process ${process.processId} about itself are too large to commit: not one of them fits.`,
  );
}

/** Checks an announcement before it is written: its events can't be taken back.
 *  @throws AssertionError */
function checkAnnouncement(
  { state }: Pick<Draft, 'state'>,
  { events, version }: Announcement['request'],
  { announced, baselined }: Pick<ProcessState, 'announced' | 'baselined'>,
): void {
  assert(Number.isSafeInteger(version) && version > announced, 'announce.counter-grows');
  assert(!('announced' in state), 'announce.counter-is-its-own');
  assert(baselined || events.length === 0, 'announce.silent-before-baseline');
  assert(new Set(events.map(({ id }) => id)).size === events.length, 'announce.ids-are-unique');
  const sequence = String(version);
  assert(
    events.every(event => event.sequence === sequence),
    'announce.one-version',
  );
}

/** The version of the next commit: the time of the commit by our clock in ms, or one more than the last
 *  version, if that is larger (clocks differ, or several commits fall into one millisecond). So versions only
 *  grow, and none is used twice after the table was restored to an earlier state (docs/decisions/0042). */
export function nextVersion(last: number | undefined, at: number): number {
  return last === undefined ? at : Math.max(last + 1, at);
}

/** A transaction of the table takes 100 items. */
const MAX_ENTRIES_PER_COMMIT = 90;

/** Emits an `audit.recorded` for each new entry of the audit log, each once: its digest is remembered in the
 *  commit that emits it. To be called before the audit position moves on, so that the entries that a crash
 *  leaves out are found again.
 *  @param entries the oldest first; some may have been emitted before
 *  @param projects the known projects among the names in the entries
 *  @returns how many events were emitted */
export async function announceEntries(
  context: PassContext,
  entries: readonly JsonObject[],
  projects: ReadonlySet<string>,
  actors: Actors,
): Promise<number> {
  const { process, snapshots, clock, heartbeat, before } = context;
  const all = [...new Map(entries.map(entry => [entryId(entry), entry]))];
  const draft = (some: readonly ReadEntry[]) => ({
    state: {},
    entries: some.map(({ id }) => id),
    events: (version: number) => auditEvents(process, some, { version, at: clock() }),
  });
  let emitted = 0;
  for (let from = 0; from < all.length; from += MAX_ENTRIES_PER_COMMIT) {
    const some = new Map(all.slice(from, from + MAX_ENTRIES_PER_COMMIT));
    for (const id of await snapshots.emittedEntries(process, some.keys())) some.delete(id);
    if (some.size > 0) {
      const read = await readEntries(context, some, projects, actors);
      const state = emitted > 0 ? await snapshots.readState(process) : before;
      emitted += await announce(context, state, async () => {
        const known = await snapshots.emittedEntries(process, some.keys());
        const left = read.filter(({ id }) => !known.has(id));
        return left.length > 0 ? inHalves(left, draft) : undefined;
      });
    }
    await heartbeat.beat();
  }
  return emitted;
}

/** 128 bits of SHA-256 over the JSON, its keys sorted: an entry is the same whatever the order of its keys. */
function entryId(entry: JsonObject): string {
  return hash('sha256', canonicalJson(entry), 'hex').slice(0, 32);
}

/** The entries with the records and users in them. */
async function readEntries(
  context: PassContext,
  entries: ReadonlyMap<string, JsonObject>,
  projects: ReadonlySet<string>,
  actors: Actors,
): Promise<ReadEntry[]> {
  const records = await recordsIn(context, [...entries.values()], projects);
  const usersIn = await actors.ofEntries(records);
  return [...entries].map(([id, entry]) => {
    const { projects: named, tasks } = records.get(entry) as EntryRecords;
    return { id, entry, projects: named, tasks, users: usersIn(entry) };
  });
}

/** How many snapshots are loaded at once: each may hold thousands of tasks. */
const CONCURRENCY = 4;

/** The known records whose identifiers stand in an audit entry. */
type EntryRecords = Pick<ReadEntry, 'projects' | 'tasks'>;
type Task = EntryRecords['tasks'][number];

/** Finds the records in each of these entries: projects, and of each project that an entry names those tasks
 *  that its snapshot has. Loads the snapshot of each named project once.
 *  @param projects the known projects among the names in the entries */
export async function recordsIn(
  { process, snapshots, heartbeat }: PassContext,
  entries: readonly JsonObject[],
  projects: ReadonlySet<string>,
): Promise<ReadonlyMap<JsonObject, EntryRecords>> {
  const found = entries.map(entry => {
    const names = namesIn([entry]);
    const tasks: Task[] = [];
    return { entry, names, projects: [...names.intersection(projects)].toSorted(byText), tasks };
  });
  const named = new Set(found.flatMap(one => one.projects));
  await inParallel(named, CONCURRENCY, async projectId => {
    const snapshot = await snapshots.load(process, projectId).catch(ifTorn);
    for (const { names, tasks } of found) {
      if (!names.has(projectId)) continue;
      for (const id of names) if (snapshot?.content.tasks.has(id)) tasks.push({ id, projectId });
    }
    await heartbeat.beat();
  });
  return new Map(found.map(one => [one.entry, { projects: one.projects, tasks: one.tasks.sort(inOrder) }]));
}

function inOrder(one: Task, other: Task): number {
  return byText(one.projectId, other.projectId) || byText(one.id, other.id);
}
