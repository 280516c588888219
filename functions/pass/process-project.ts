import type { JsonObject } from '../basics/json.ts';
import {
  compareProject,
  keepArchived,
  type ProjectContent,
  type RecordChange,
} from '../changes/compare-project.ts';
import { jsonEqual } from '../changes/equal.ts';
import type { Snapshot, Tombstone } from '../snapshots/snapshots.ts';
import { commitChanges } from './commit-changes.ts';
import { freshest, isMadeAgain } from './freshest.ts';
import type { Listed } from './listing.ts';
import { nextVersion } from './next-version.ts';
import type { Pass } from './pass.ts';
import { readTasks, type TasksRead } from './read-tasks.ts';

/** How often another pass may be first before this one gives up for now. */
const TRIES = 20;

/** What became of one project:
 *  `same`, `committed`; `gone`: its task list answered 404; `unknown`: neither listed nor held, so no project of ours;
 *  `doubtful`: two records, read at the same moment, of which none is known to be the newer; one that may have been
 *  listed before its deletion; or tasks that changed all the time while they were read.
 *  @throws ServiceAnswerError when the project, or a task, can't be used */
export interface Processed {
  readonly outcome: 'same' | 'committed' | 'gone' | 'unknown' | 'doubtful';
  /** When its tasks were read. */
  readonly readAt: number;
  /** True for one that is gone, and had tasks when they were last read. */
  readonly hadTasks?: boolean;
}

/** Reads one project's tasks, compares with its snapshot, and commits the difference with its events (DESIGN §5). The
 *  snapshot is read before the tasks, so that a commit on its version can only be of something read later.
 *  `mayLackTasks`: a listed project whose task list answers 404 has no tasks. */
export async function processProject(
  pass: Pass,
  projectId: string,
  listed: Listed | undefined,
  how: { readonly mayLackTasks?: boolean } = {},
): Promise<Processed> {
  const { process } = pass.parts;
  for (let conflicts = 0; conflicts < TRIES; ) {
    const processed = await tryProject(pass, projectId, listed, how);
    if (processed === 'conflict') conflicts += 1;
    else if (processed !== 'step') return processed;
  }
  throw new Error(
    `Project ${projectId} of process ${process.processId} was not committed in ${TRIES} tries: other passes keep ` +
      'being first. The next pass tries again; if this goes on, see which pollers share the table.',
  );
}

async function tryProject(
  pass: Pass,
  projectId: string,
  listed: Listed | undefined,
  { mayLackTasks = false }: { readonly mayLackTasks?: boolean },
): Promise<Processed | 'step' | 'conflict'> {
  const { snapshots, process, state } = pass.parts;
  if (listed?.flaw) throw listed.flaw;
  const held = await snapshots.load(process, projectId);
  if (!held && !listed) return { outcome: 'unknown', readAt: 0 };
  // A baseline never writes over a snapshot: it tells nothing, so whatever it overwrote would never be told.
  if (held && !state.baselined) return { outcome: 'same', readAt: held.tasksReadAt };
  const tombstone = held || !listed ? undefined : await tombstoneOf(pass, projectId, listed);
  if (tombstone === 'doubtful') return { outcome: 'doubtful', readAt: 0 };
  const found = await readTasks(pass, projectId, held?.content.tasks);
  if (held && found) pass.identity.checkTasks(projectId, held.content.tasks, found.tasks);
  // A project that is listed tells its own changes, whatever became of its task list.
  const tasks = found ?? (held && listed && tasksOf(held)) ?? (mayLackTasks ? noTasksOf(listed) : undefined);
  if (!tasks) return { outcome: 'gone', readAt: 0 };
  const { record, doubtful } = freshest(listed, held);
  const source = record === 'listed' ? (listed as Listed) : recordOf(held as Snapshot);
  const result = await commitDifference(pass, { projectId, held, tombstone, source, tasks });
  if (result === 'conflict' || result === 'step') return result;
  if (!found) return { outcome: 'gone', readAt: 0, hadTasks: tasks.tasks.size > 0 };
  return { outcome: doubtful || tasks.restless ? 'doubtful' : result, readAt: tasks.readAt };
}

/** Of a project that has no snapshot: what its deletion left behind, if there was one, and the listing is newer. */
async function tombstoneOf(pass: Pass, projectId: string, listed: Listed) {
  const { snapshots, process, state } = pass.parts;
  if (!state.baselined) return undefined;
  const tombstone = await snapshots.tombstone(process, projectId);
  if (tombstone && !isMadeAgain(listed, tombstone)) return 'doubtful';
  await pass.identity.checkProject(projectId, listed.record);
  return tombstone;
}

interface ProjectRead {
  readonly projectId: string;
  readonly held: Snapshot | undefined;
  readonly tombstone: Tombstone | undefined;
  readonly source: Listed;
  readonly tasks: TasksRead;
}

async function commitDifference(
  pass: Pass,
  read: ProjectRead,
): Promise<'same' | 'committed' | 'step' | 'conflict'> {
  const { definitions } = pass.parts;
  const known = differ(read, definitions.rules);
  if (known.changes.length === 0) return keep(pass, read, known.content);
  const { content, changes } = differ(read, await definitions.fresh());
  if (changes.length === 0) return keep(pass, read, content);
  return commitChanges(pass, { ...read, content, changes });
}

/** Nothing to tell. But a record that moved on, if only its timestamps, is kept with the time of its reading: an older
 *  listing of another pass must not be taken for newer than this one. */
async function keep(pass: Pass, { projectId, held, source, tasks }: ProjectRead, content: ProjectContent) {
  if (!held || jsonEqual(held.content.record, content.record)) return 'same';
  const { snapshots, process, clock } = pass.parts;
  const at = clock();
  const version = nextVersion(held.version, at);
  const { readAt: recordReadAt, untimed } = source;
  const snapshot = {
    version,
    content,
    recordReadAt,
    ...(untimed && { untimed }),
    tasksReadAt: tasks.readAt,
  };
  const request = { projectId, expected: held, snapshot, version, events: [], at };
  const result = await snapshots.commit(process, request);
  if (result === 'committed') pass.commits += 1;
  return result === 'conflict' ? 'conflict' : 'same';
}

function differ(
  { projectId, held, source, tasks }: ProjectRead,
  rules: Parameters<typeof keepArchived>[2],
): { content: ProjectContent; changes: RecordChange[] } {
  const read: { record: JsonObject; tasks: ReadonlyMap<string, JsonObject> } = {
    record: source.record,
    tasks: tasks.tasks,
  };
  const content = keepArchived(held?.content, read, rules);
  return { content, changes: compareProject(projectId, held?.content, content, rules) };
}

function recordOf(held: Snapshot): Listed {
  const { content, recordReadAt: readAt, untimed } = held;
  return { record: content.record, readAt, readBefore: readAt, ...(untimed && { untimed }) };
}

function noTasksOf(listed: Listed | undefined): TasksRead | undefined {
  return listed && { tasks: new Map(), readAt: listed.readAt, readBefore: listed.readBefore };
}

function tasksOf(held: Snapshot): TasksRead {
  return { tasks: held.content.tasks, readAt: held.tasksReadAt, readBefore: held.tasksReadAt };
}
