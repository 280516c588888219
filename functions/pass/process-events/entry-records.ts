import { inParallel } from '../../basics/in-parallel.ts';
import type { JsonObject } from '../../basics/json.ts';
import { byText } from '../../basics/order.ts';
import type { ProcessKey } from '../../basics/process.ts';
import type { ReadEntry } from '../../changes/audit-events.ts';
import { type Snapshot, type Snapshots, TornSnapshotError } from '../../store/snapshots.ts';
import { namesIn } from '../audit-log/names.ts';

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
