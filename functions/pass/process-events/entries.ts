import { inParallel } from '../../basics/in-parallel.ts';
import type { JsonObject } from '../../basics/json.ts';
import { byText } from '../../basics/order.ts';
import type { ProcessKey } from '../../basics/process.ts';
import { auditEvents, type ReadEntry } from '../../changes/audit-events.ts';
import type { Actor } from '../../model/event.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import { type Snapshots, TornSnapshotError } from '../../store/store.ts';
import { namesIn } from '../audit-log/names.ts';
import type { LogEntry } from '../audit-log/placed-entries.ts';
import { type Announcer, announce, type Say } from './announce.ts';

/** How many entries one commit tells: a transaction of the table takes 100 items. */
const MOST = 90;

/** What is needed here of a pass. */
interface Pass extends Announcer {
  readonly parts: Announcer['parts'] & { readonly snapshots: Pick<Snapshots, 'toldEntries' | 'load'> };
  /** To be called wherever time passes. */
  readonly heartbeat: { beat(): Promise<void> };
}

/** Tells of each of these entries which users it names as those who acted. */
interface Actors {
  ofEntries(entries: ReadonlyMap<JsonObject, EntryRecords>): Promise<(entry: JsonObject) => readonly Actor[]>;
}

/** Tells new entries of the audit log, each once: that it was told is remembered in the commit that tells it. To be called before the
 *  audit position moves on, so that what a crash leaves untold is found again.
 *  @param projects the known projects among the names in the entries
 *  @returns how many were told */
export async function tellEntries(
  pass: Pass,
  { untold = [] }: { readonly untold?: readonly LogEntry[] },
  projects: ReadonlySet<string>,
  actors: Actors,
): Promise<number> {
  const { parts, heartbeat } = pass;
  const { process, snapshots, clock } = parts;
  const say = (entries: readonly ReadEntry[]): Say => ({
    state: {},
    entries: entries.map(({ id }) => id),
    events: version => auditEvents(process, entries, { version, at: clock() }),
    less: () => (entries.length > 1 ? say(entries.slice(0, Math.floor(entries.length / 2))) : undefined),
  });
  let { state } = pass;
  let told = 0;
  for (let from = 0; from < untold.length; from += MOST) {
    const some = await read(pass, untold.slice(from, from + MOST), projects, actors);
    if (from > 0) state = await snapshots.readState(process);
    told += await announce({ parts, state }, async () => {
      const known = await snapshots.toldEntries(
        process,
        some.map(({ id }) => id),
      );
      const left = some.filter(({ id }) => !known.has(id));
      return left.length > 0 ? say(left) : undefined;
    });
    await heartbeat.beat();
  }
  return told;
}

/** The entries with what is found in them. */
async function read(
  pass: Pass,
  untold: readonly LogEntry[],
  projects: ReadonlySet<string>,
  actors: Actors,
): Promise<ReadEntry[]> {
  const records = await recordsIn(
    pass,
    untold.map(({ entry }) => entry),
    projects,
  );
  const usersIn = await actors.ofEntries(records);
  return untold.map(({ id, entry }) => {
    const { projects: named, tasks } = records.get(entry) as EntryRecords;
    return { id, entry, projects: named, tasks, users: usersIn(entry) };
  });
}

/** How many snapshots are loaded at once: each may hold thousands of tasks. */
const WIDTH = 4;

/** The known records whose identifiers stand in an audit entry. */
export type EntryRecords = Pick<ReadEntry, 'projects' | 'tasks'>;
type Task = EntryRecords['tasks'][number];

/** What is needed here of a pass. */
interface Loader {
  readonly parts: { readonly process: ProcessKey; readonly snapshots: Pick<Snapshots, 'load'> };
  /** To be called wherever time passes. */
  readonly heartbeat: { beat(): Promise<void> };
}

/** Finds the records in each of these entries: projects, and of each project that an entry names those tasks that its snapshot has.
 *  Loads the snapshot of each named project once.
 *  @param projects the known projects among the names in the entries */
export async function recordsIn(
  { parts: { process, snapshots }, heartbeat }: Loader,
  entries: readonly JsonObject[],
  projects: ReadonlySet<string>,
): Promise<ReadonlyMap<JsonObject, EntryRecords>> {
  const found = entries.map(entry => {
    const names = namesIn([entry]);
    const tasks: Task[] = [];
    return { entry, names, projects: [...names.intersection(projects)].toSorted(byText), tasks };
  });
  const named = new Set(found.flatMap(one => one.projects));
  await inParallel(named, WIDTH, async projectId => {
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

/** Ignores a torn snapshot: it is a fault of its own project, which must not keep entries from being told. */
function ifTorn(error: unknown): Snapshot | undefined {
  if (!(error instanceof TornSnapshotError)) throw error;
  return undefined;
}
