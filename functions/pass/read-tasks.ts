import type { JsonObject } from '../json.ts';
import { ServiceStatusError } from '../service/errors.ts';
import type { Page, ServiceRecord } from '../service/service.ts';
import { readBefore } from './listing.ts';
import type { Pass } from './pass.ts';

/** The tasks of one project; times in ms since 1970. */
export interface TasksRead {
  readonly tasks: ReadonlyMap<string, JsonObject>;
  readonly readAt: number;
  readonly readBefore: number;
}

/** All tasks of a project (service-api.md §4 #2); undefined when the service answers 404: the project is gone, or so it
 *  seems. A task of `held` that a list of several pages lacks is looked for a second time, because a row that goes
 *  while the pages are read shifts another one out of sight. */
export async function readTasks(
  pass: Pass,
  projectId: string,
  held: ReadonlyMap<string, JsonObject> | undefined,
): Promise<TasksRead | undefined> {
  const first = await readOnce(pass, projectId);
  if (!first || first.pages === 1) return first;
  // What a baseline overlooks would be told as created.
  if (pass.parts.state.baselined && !lacksAny(first.tasks, held)) return first;
  const second = await readOnce(pass, projectId);
  return second && { ...second, readAt: first.readAt, tasks: new Map([...first.tasks, ...second.tasks]) };
}

async function readOnce(pass: Pass, projectId: string): Promise<(TasksRead & { pages: number }) | undefined> {
  const { service, process, clock } = pass.parts;
  const tasks = new Map<string, JsonObject>();
  const pages: Pick<Page<ServiceRecord>, 'readAt' | 'clock'>[] = [];
  try {
    for await (const page of service.tasks(process.processId, projectId)) {
      for (const { id, fields } of page.items) tasks.set(id, fields);
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
    readBefore: last ? readBefore(last as Page<unknown>) : now,
  };
}

function lacksAny(
  tasks: ReadonlyMap<string, unknown>,
  held: ReadonlyMap<string, unknown> | undefined,
): boolean {
  return [...(held?.keys() ?? [])].some(id => !tasks.has(id));
}
