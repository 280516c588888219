import { inParallel } from '../../basics/in-parallel.ts';
import type { JsonObject } from '../../basics/json.ts';
import { byText } from '../../basics/order.ts';
import { auditEvents, type ReadEntry } from '../../changes/process-events.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import { TornSnapshotError } from '../../store/store.ts';
import type { Actors } from '../audit-log/actors.ts';
import { namesIn } from '../audit-log/names.ts';
import type { LogEntry } from '../audit-log/placed-entries.ts';
import type { PassContext } from '../context/context.ts';
import { announce, inHalves } from './announce.ts';

/** A transaction of the table takes 100 items. */
const MAX_ENTRIES_PER_COMMIT = 90;

/** Emits an `audit.recorded` for each new entry of the audit log, each once: its digest is remembered in the commit that emits it. To be
 *  called before the audit position moves on, so that the entries that a crash leaves out are found again.
 *  @param projects the known projects among the names in the entries
 *  @returns how many events were emitted */
export async function announceEntries(
  context: PassContext,
  entries: readonly LogEntry[],
  projects: ReadonlySet<string>,
  actors: Actors,
): Promise<number> {
  const { process, snapshots, clock, heartbeat, before } = context;
  const draft = (some: readonly ReadEntry[]) => ({
    state: {},
    entries: some.map(({ id }) => id),
    events: (version: number) => auditEvents(process, some, { version, at: clock() }),
  });
  let state = before;
  let emitted = 0;
  for (let from = 0; from < entries.length; from += MAX_ENTRIES_PER_COMMIT) {
    const some = await read(context, entries.slice(from, from + MAX_ENTRIES_PER_COMMIT), projects, actors);
    if (from > 0) state = await snapshots.readState(process);
    emitted += await announce(context, state, async () => {
      const known = await snapshots.toldEntries(
        process,
        some.map(({ id }) => id),
      );
      const left = some.filter(({ id }) => !known.has(id));
      return left.length > 0 ? inHalves(left, draft) : undefined;
    });
    await heartbeat.beat();
  }
  return emitted;
}

/** The entries with what is found in them. */
async function read(
  context: PassContext,
  entries: readonly LogEntry[],
  projects: ReadonlySet<string>,
  actors: Actors,
): Promise<ReadEntry[]> {
  const records = await recordsIn(
    context,
    entries.map(({ entry }) => entry),
    projects,
  );
  const usersIn = await actors.ofEntries(records);
  return entries.map(({ id, entry }) => {
    const { projects: named, tasks } = records.get(entry) as EntryRecords;
    return { id, entry, projects: named, tasks, users: usersIn(entry) };
  });
}

/** How many snapshots are loaded at once: each may hold thousands of tasks. */
const CONCURRENCY = 4;

/** The known records whose identifiers stand in an audit entry. */
export type EntryRecords = Pick<ReadEntry, 'projects' | 'tasks'>;
type Task = EntryRecords['tasks'][number];

/** Finds the records in each of these entries: projects, and of each project that an entry names those tasks that its snapshot has.
 *  Loads the snapshot of each named project once.
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

/** Ignores a torn snapshot: it is a fault of its own project, which must not keep entries from being announced. */
function ifTorn(error: unknown): Snapshot | undefined {
  if (!(error instanceof TornSnapshotError)) throw error;
  return undefined;
}
