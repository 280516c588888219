import type { JsonObject } from '../../basics/json.ts';
import type { ProjectContent } from '../../model/snapshot.ts';
import { ServiceStatusError } from '../../service/errors.ts';
import type { Page, ServiceRecord } from '../../service/service.ts';
import type { PassContext } from '../context/context.ts';
import { digest } from './digest.ts';
import { MAX_READINGS, readBefore } from './listing.ts';

/** The tasks of one project; times in ms since 1970. */
export interface TasksRead {
  readonly tasks: Tasks;
  readonly readAt: number;
  readonly readBefore: number;
  /** True when these times are by our clock. */
  readonly untimed?: boolean;
  /** Of all pages; undefined when `tasks` are merged from several readings. */
  readonly digest?: string | undefined;
  /** True when the list changed in each reading: it may have passed over a task, so `tasks` includes all that
   *  were known or read. */
  readonly isUnstable?: boolean;
}

type Tasks = ProjectContent['tasks'];

/** The service answered byte for byte what it did when the snapshot was read. */
export interface Same {
  readonly isSame: true;
  readonly readAt: number;
}

/** What is known of the tasks before they are read: the digest of the last reading, and those of the
 *  snapshot, loaded only if needed; undefined where a list of several pages must be confirmed: in a baseline,
 *  and without a snapshot. */
interface KnownTasks {
  /** True when an earlier pass could not read them. */
  readonly isAgain?: boolean;
  readonly digest?: string | undefined;
  readonly load: () => Promise<Tasks | undefined>;
}

/** Reads all tasks of a project (service-api.md §4 #2). Undefined when the service answers 404: the project
 *  seems to be gone. If a list of several pages lacks a known task, it is read again until it surely passed
 *  over none, as listings of projects are (see listProjects). So is each such list of which no tasks are
 *  known: a task that was passed over would later be emitted as created.
 *  @returns Same when the answers have `known.digest`: they are not even parsed then
 *  @throws ServiceAnswerError when a task can't be used */
export async function readTasks(
  context: PassContext,
  projectId: string,
  known: KnownTasks,
): Promise<TasksRead | Same | undefined> {
  const first = await readOnce(context, projectId, known);
  if (!first) return undefined;
  if (first.digest === known.digest) return { isSame: true, readAt: first.readAt };
  if (first.pages.length <= 1) return tasksIn(first);
  const before = await known.load();
  if (before && !lacksAny(first.tasks(), before)) return tasksIn(first);
  let last = first;
  const all = new Map(first.tasks());
  for (let reading = 2; reading <= MAX_READINGS; reading++) {
    const next = await readOnce(context, projectId, { ...known, digest: undefined });
    if (!next) return undefined;
    if (next.pages.length <= 1 || !lacksAny(next.tasks(), last.tasks()))
      return { ...tasksIn(next), readAt: first.readAt };
    for (const [id, task] of next.tasks()) all.set(id, task);
    last = next;
  }
  const tasks = new Map([...(before ?? []), ...all]);
  return { ...tasksIn(last), readAt: first.readAt, tasks, digest: undefined, isUnstable: true };
}

/** One walk over the pages. They are parsed only when `tasks` is called. */
interface Reading {
  readonly pages: readonly Page<ServiceRecord>[];
  readonly digest: string | undefined;
  readonly readAt: number;
  readonly readBefore: number;
  readonly untimed: boolean;
  tasks(): Tasks;
}

async function readOnce(
  context: PassContext,
  projectId: string,
  { digest: known, isAgain }: Pick<KnownTasks, 'digest' | 'isAgain'>,
): Promise<Reading | undefined> {
  const { service, process, clock, heartbeat } = context;
  const pages: Page<ServiceRecord>[] = [];
  const isKnown = (one: string) => one === known;
  try {
    for await (const page of service.tasks(process.processId, projectId, { isKnown, isAgain })) {
      pages.push(page);
      await heartbeat.beat();
    }
  } catch (error) {
    // 410 is not documented, and means no less.
    if (error instanceof ServiceStatusError && (error.status === 404 || error.status === 410))
      return undefined;
    throw error;
  }
  const [first, last] = [pages[0], pages.at(-1)];
  const now = clock();
  const digests = pages.map(page => page.digest);
  let tasks: Tasks | undefined;
  return {
    pages,
    digest: digests.length === 1 ? digests[0] : digest(digests),
    readAt: first?.readAt ?? now,
    readBefore: last ? readBefore(last) : now,
    untimed: last?.clock !== 'service',
    tasks: () => {
      tasks ??= tasksOn(pages);
      return tasks;
    },
  };
}

function tasksOn(pages: readonly Page<ServiceRecord>[]): Tasks {
  const tasks = new Map<string, JsonObject>();
  for (const { items } of pages) {
    for (const { id, fields, flaw } of items) {
      if (flaw) throw flaw;
      tasks.set(id, fields);
    }
  }
  return tasks;
}

function tasksIn({ tasks, digest, readAt, readBefore, untimed }: Reading): TasksRead {
  return { tasks: tasks(), digest, readAt, readBefore, ...(untimed && { untimed }) };
}

function lacksAny(tasks: Tasks, others: Tasks): boolean {
  return [...others.keys()].some(id => !tasks.has(id));
}
