import type { JsonObject } from '../basics/json.ts';
import { ServiceStatusError } from '../service/errors.ts';
import type { Page } from '../service/service.ts';
import { MOST_READINGS, readBefore } from './listing.ts';
import type { Pass } from './pass.ts';

/** The tasks of one project; times in ms since 1970. */
export interface TasksRead {
  readonly tasks: ReadonlyMap<string, JsonObject>;
  readonly readAt: number;
  readonly readBefore: number;
  /** True when the list never came to rest: it may have passed over a task, so none counts as deleted. */
  readonly restless?: boolean;
}

type Tasks = ReadonlyMap<string, JsonObject>;

/** All tasks of a project (service-api.md §4 #2); undefined when the service answers 404: the project is gone, or so it
 *  seems. When a list of several pages lacks a task of `held`, it is read until it is known to have passed over none, as
 *  a listing of projects is; so is each of them in a baseline, and that of a project that was never read before (`held` is
 *  undefined): what that overlooks would be told as created, as if it had not been there.
 *  @throws ServiceAnswerError when a task can't be used */
export async function readTasks(
  pass: Pass,
  projectId: string,
  held: Tasks | undefined,
): Promise<TasksRead | undefined> {
  const first = await readOnce(pass, projectId);
  if (!first || first.pages <= 1) return first;
  if (pass.parts.state.baselined && held && !lacksAny(first.tasks, held)) return first;
  let last = first;
  const all = new Map(first.tasks);
  for (let reading = 2; reading <= MOST_READINGS; reading++) {
    const next = await readOnce(pass, projectId);
    if (!next) return undefined;
    if (next.pages <= 1 || !lacksAny(next.tasks, last.tasks)) return { ...next, readAt: first.readAt };
    for (const [id, task] of next.tasks) all.set(id, task);
    last = next;
  }
  return { ...last, readAt: first.readAt, tasks: new Map([...(held ?? []), ...all]), restless: true };
}

async function readOnce(pass: Pass, projectId: string): Promise<(TasksRead & { pages: number }) | undefined> {
  const { service, process, clock } = pass.parts;
  const tasks = new Map<string, JsonObject>();
  const pages: Pick<Page<unknown>, 'readAt' | 'clock'>[] = [];
  try {
    for await (const page of service.tasks(process.processId, projectId)) {
      for (const { id, fields, flaw } of page.items) {
        if (flaw) throw flaw;
        tasks.set(id, fields);
      }
      pages.push({ readAt: page.readAt, clock: page.clock });
      await pass.keepAlive();
    }
  } catch (error) {
    if (error instanceof ServiceStatusError && error.status === 404) return undefined;
    throw error;
  }
  const [first, last] = [pages[0], pages.at(-1)];
  const now = clock();
  return {
    tasks,
    pages: pages.length,
    readAt: first?.readAt ?? now,
    readBefore: last ? readBefore(last) : now,
  };
}

function lacksAny(tasks: Tasks, others: Tasks | undefined): boolean {
  return [...(others?.keys() ?? [])].some(id => !tasks.has(id));
}
