import { identifierNames } from '../basics/identifier-names.ts';
import type { JsonObject } from '../basics/json.ts';
import type { Probed } from '../service/probe.ts';
import type { Asker } from './asker.ts';
import { leaves, namedIn } from './audit-paths.ts';
import { type ListRead, readAudit, readList, readProjects, textOf } from './lists.ts';
import { timeOf } from './times.ts';
import { updateField } from './update-field.ts';

/** A project, and its tasks as far as they were read. */
export interface TasksRead {
  readonly project: JsonObject;
  readonly id: string;
  readonly read: ListRead;
}

/** How many projects of each sort have their tasks read. */
const MOST_EACH = 3;
const MOST_ENTRIES = 10;
const MOST_CANDIDATES = 4;
const MOST_TRIED = 3;

/** The property of a project that the service's paths take. Tries the usual ones first, and then those that
 *  are unique. */
export async function projectKey(
  asker: Asker,
): Promise<{ property: string | undefined; asked: readonly Probed[] }> {
  const { items } = await readProjects(asker);
  const asked: Probed[] = [];
  const [usual, ...others] = candidates(items, 'project');
  const tries = [
    ...[usual, ...others].slice(0, MOST_CANDIDATES).map(property => [property, items[0]] as const),
    // The tasks of the first project may be hidden from these credentials.
    ...items.slice(1, MOST_TRIED).map(project => [usual, project] as const),
  ];
  for (const [property, project] of tries) {
    const id = property === undefined ? '' : textOf(project?.[property]);
    if (id === '') continue;
    const came = await readList(asker, 'tasks', tasksPath(asker, id), { most: 1 });
    asked.push(...came.answers, ...(came.failure ? [came.failure] : []));
    if (came.answers.length > 0) return { property, asked };
  }
  return { property: undefined, asked };
}

/** Properties that may identify records, the likeliest first. */
export function candidates(records: readonly JsonObject[], kind: 'project' | 'task' | 'user'): string[] {
  const [first = {}] = records;
  const usual = identifierNames(kind).filter(name => records.some(record => textOf(record[name]) !== ''));
  const others = Object.keys(first).filter(name => !usual.includes(name) && isUnique(records, name));
  // A name that sounds like an identifier comes before one that is unique by chance.
  const rank = (name: string) => (saysSo(name) ? 0 : 1);
  return [...usual, ...others.filter(isNoTime(first)).sort((one, other) => rank(one) - rank(other))];
}

/** True for a name that sounds like an identifier. */
export const saysSo = (name: string): boolean =>
  /^id$|^(uuid|guid|key)|(Id|ID|_id|-id|Key|_key|uuid|guid)$/.test(name);

/** True when all records have different values there. */
export function isUnique(records: readonly JsonObject[], name: string): boolean {
  const values = records.map(record => textOf(Object.hasOwn(record, name) ? record[name] : undefined));
  return values.every(value => value !== '') && new Set(values).size === values.length;
}

const isNoTime = (record: JsonObject) => (name: string) => !/^\d{4}-\d{2}-\d{2}/.test(textOf(record[name]));

/** The tasks of some projects. */
export async function readTasks(asker: Asker): Promise<TasksRead[]> {
  const { property } = await projectKey(asker);
  if (property === undefined) return [];
  const all: TasksRead[] = [];
  for (const project of await someProjects(asker, property)) {
    const id = textOf(project[property]);
    if (id === '') continue;
    all.push({ project, id, read: await readList(asker, 'tasks', tasksPath(asker, id), { most: 2 }) });
  }
  return all;
}

/** The first project, some that were updated last, some that the audit log names at its ends, and some spread
 *  over the list. */
async function someProjects(asker: Asker, property: string): Promise<JsonObject[]> {
  const { items } = await readProjects(asker);
  const { name = '' } = await updateField(asker);
  const byUpdate = items.toSorted((one, other) => (timeOf(other[name]) ?? 0) - (timeOf(one[name]) ?? 0));
  const byId = new Map(items.map(item => [textOf(item[property]), item]));
  const log = await readAudit(asker);
  const ends = [...log.items.slice(0, MOST_ENTRIES), ...log.items.slice(-MOST_ENTRIES).reverse()];
  const named = ends.flatMap(entry => leaves(entry).map(({ value }) => byId.get(namedIn(value, byId) ?? '')));
  const between = items.filter((_, index) => index % Math.ceil(items.length / MOST_EACH) === 0);
  const chosen = [byUpdate, [...new Set(named)].filter(each => each !== undefined), between];
  return [...new Set([...items.slice(0, 1), ...chosen.flatMap(each => each.slice(0, MOST_EACH))])];
}

export function tasksPath({ process }: Asker, projectId: string): string[] {
  return ['processes', process, 'projects', projectId, 'tasks'];
}
