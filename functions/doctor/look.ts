import type { JsonObject } from '../basics/json.ts';
import type { Asker } from './asker.ts';
import { idsIn, serviceTime, updatedSince } from './dated.ts';
import type { Asked } from './examination.ts';
import { identifierIn, type ListRead, readList, readProjects, textOf } from './lists.ts';
import { tasksPath } from './tasks.ts';

/** The project in which somebody is to edit a task. */
export interface Watched {
  readonly id: string;
  /** The property that identifies it. */
  readonly property: string;
  /** The cursor of the audit log's last page when the watch began. */
  readonly tail: string | undefined;
}

/** What the service showed at one time. */
export interface Look {
  /** The time by the service's clock. */
  readonly at: number;
  readonly tasks: ReadonlyMap<string, JsonObject>;
  readonly project: JsonObject | undefined;
  /** Entries from the beginning of the audit log, and from its end. */
  readonly head: readonly JsonObject[];
  readonly end: readonly JsonObject[];
  /** The requests for each of these. */
  readonly asked: {
    readonly tasks: Asked;
    readonly project: Asked;
    readonly log: Asked;
    readonly updated: Asked;
  };
  /** Whether a list with `updatedAfter` had the project; undefined when none was read. */
  readonly isShown?: boolean;
}

/** Enough for 10,000 entries. */
const MOST_PAGES = 100;

/** Reads the audit log to its end. Undefined when it is denied or has one page. */
export async function findTail(asker: Asker): Promise<string | undefined> {
  const path = ['processes', asker.process, 'auditlog'];
  const { pages } = await readList(asker, 'auditLog', path, { most: MOST_PAGES, again: true });
  return pages.at(-2)?.next;
}

/** Reads the project, its tasks and both ends of the audit log, and what was updated `since` a time, if
 *  given. */
export async function look(asker: Asker, watched: Watched, since?: number): Promise<Look> {
  const { id, property, tail } = watched;
  const again = { again: true };
  const tasks = await readList(asker, 'tasks', tasksPath(asker, id), again);
  const projects = await readProjects(asker, again);
  const log = ['processes', asker.process, 'auditlog'];
  const head = await readList(asker, 'auditLog', log, { most: 1, ...again });
  const end =
    tail === undefined
      ? undefined
      : await readList(asker, 'auditLog', log, { most: 2, query: { after: tail }, ...again });
  const updated = since === undefined ? undefined : await updatedSince(asker, since, again);
  return {
    at: await serviceTime(asker),
    tasks: byId(tasks),
    project: projects.items.find(item => textOf(item[property]) === id),
    head: head.items,
    end: end?.items ?? [],
    asked: {
      tasks: tasks.answers,
      project: projects.answers,
      log: [...head.answers, ...(end?.answers ?? [])],
      updated: updated?.answers ?? [],
    },
    ...(updated && { isShown: (await idsIn(asker, updated)).has(id) }),
  };
}

/** The tasks of the project as they are now. */
export async function tasksIn(asker: Asker, { id }: Watched): Promise<Look['tasks']> {
  return byId(await readList(asker, 'tasks', tasksPath(asker, id), { again: true }));
}

function byId({ items }: ListRead): Map<string, JsonObject> {
  const property = identifierIn(items, 'task') ?? '';
  return new Map(items.map((item, index) => [textOf(item[property]) || `#${index}`, item]));
}
