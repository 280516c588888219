import { identifierNames, type RecordKind } from '../basics/identifier-names.ts';
import { isJsonObject, type Json, type JsonObject } from '../basics/json.ts';
import { indexProjectFields, indexTaskFields } from '../changes/compare-record.ts';
import { piecesOf } from '../pass/audit-log/names.ts';
import type { Probed, ProbedToken } from '../service/probe.ts';
import { type Asker, type ListRead, pathTo, readLog, readProjects, readTasks, readUsers } from './asker.ts';
import { timeText } from './finding.ts';
import { findUpdateField, known, textOf, timeOf } from './update-time.ts';

const DAY = 24 * 60 * 60 * 1000;
const MAX_CANDIDATES = 4;
const MAX_PROJECTS = 3;
const MAX_ENTRIES = 10;
const MAX_LEAVES = 500;

export type Survey = Awaited<ReturnType<typeof createSurvey>>;

/** Reads what most checks rest on: the lists of a process, and how to read their records. */
export async function createSurvey(asker: Asker, token: ProbedToken, projects: ListRead) {
  const ofProjects = await asker.get(pathTo(asker, 'coverpage'));
  const ofTasks = await asker.get(pathTo(asker, 'task-custom-fields'), { includeArchived: 'true' });
  const definitions = {
    project: definitionsIn(asker, ofProjects, indexProjectFields),
    task: definitionsIn(asker, ofTasks, indexTaskFields),
  };
  const update = await findUpdateField(asker, projects, definitions.project.names);
  const log = await readLog(asker);
  const read = new Map<string, ListRead>();
  const key = await findProjectKey(asker, projects.items, read);
  const [first] = projects.answers;
  const ahead = first?.date === undefined ? 0 : first.date - first.at;
  /** The service's time, as far as answers show it. */
  const now = () => asker.clock() + (Math.abs(ahead) > DAY ? 0 : ahead);
  const parts = {
    ...{ asker, token, projects, log, definitions, key, update, now },
    users: await readUsers(asker),
    /** Projects updated after tomorrow: an empty list, where `updatedAfter` works. */
    future: await readProjects(asker, { updatedAfter: timeText(now() + DAY) }),
    /** The identifier of a project, as paths take it. */
    idOf: (project: JsonObject) => textOf(project[key.property ?? 'id']),
    /** The update time of a project. */
    timeOf: (project: JsonObject) => (update.name === undefined ? undefined : timeOf(project[update.name])),
  };
  const tasks: { project: JsonObject; id: string; read: ListRead }[] = [];
  for (const project of key.property === undefined ? [] : someProjects(parts)) {
    const id = parts.idOf(project);
    if (id !== '') tasks.push({ project, id, read: read.get(id) ?? (await readTasks(asker, id)) });
  }
  return { ...parts, tasks };
}

/** The identifiers and update times of the projects of a list, in its order. */
export const rowsOf = (
  { idOf, timeOf }: Pick<Survey, 'idOf' | 'timeOf'>,
  { items }: { readonly items: readonly JsonObject[] },
) => items.map(item => ({ id: idOf(item), time: timeOf(item) }));

/** True when two readings of a list have the same projects. Then no edit from the first to the second reading moved a
 *  project across a border of pages, where a list of several pages lacks it. */
export const isSameList = (survey: Survey, one: ListRead, other: ListRead): boolean =>
  JSON.stringify(rowsOf(survey, one)) === JSON.stringify(rowsOf(survey, other));

/** Definitions of custom fields, and the properties of records that hold these fields. */
function definitionsIn(asker: Asker, answer: Probed, index: typeof indexProjectFields) {
  const fields = answer.body === undefined ? [] : asker.definitions(answer.body);
  return { answer, fields, names: new Set(index(fields).keys()) };
}

/** The property of a project that the service's paths take, if found. The tasks that it reads go into `read`. */
async function findProjectKey(asker: Asker, items: readonly JsonObject[], read: Map<string, ListRead>) {
  const asked: Probed[] = [];
  const [usual, ...others] = candidates(items, 'project');
  const tries = [
    ...[usual, ...others].slice(0, MAX_CANDIDATES).map(property => [property, items[0]] as const),
    // The tasks of the first project may be hidden from these credentials.
    ...items.slice(1, MAX_PROJECTS).map(project => [usual, project] as const),
  ];
  for (const [property, project] of tries) {
    const id = property === undefined ? '' : textOf(project?.[property]);
    if (id === '') continue;
    const came = await readTasks(asker, id);
    read.set(id, came);
    asked.push(...came.answers, ...(came.failure ? [came.failure] : []));
    if (came.answers.length > 0) return { property, asked };
  }
  return { property: undefined, asked };
}

/** Properties that may identify records, the likeliest first. */
export function candidates(records: readonly JsonObject[], kind: RecordKind): string[] {
  const [first = {}] = records;
  const usual = identifierNames(kind).filter(name => records.some(record => textOf(record[name]) !== ''));
  const others = Object.keys(first)
    .filter(name => !usual.includes(name) && isUnique(records, name))
    .filter(name => !/^\d{4}-\d{2}-\d{2}/.test(textOf(first[name])));
  // A name that sounds like an identifier comes before one that is unique by chance.
  const rank = (name: string) => (isNamedAsIdentifier(name) ? 0 : 1);
  return [...usual, ...others.sort((one, other) => rank(one) - rank(other))];
}

export const isNamedAsIdentifier = (name: string): boolean =>
  /^id$|^(uuid|guid|key)|(Id|ID|_id|-id|Key|_key|uuid|guid)$/.test(name);

/** True when all records have different values there. */
export function isUnique(records: readonly JsonObject[], name: string): boolean {
  const values = records.map(record => textOf(Object.hasOwn(record, name) ? record[name] : undefined));
  return values.every(value => value !== '') && new Set(values).size === values.length;
}

/** The first project, some updated last, some that the audit log names at its ends, and some spread over the list. */
function someProjects({ projects, log, idOf, timeOf }: Omit<Survey, 'tasks'>) {
  const { items } = projects;
  const byUpdate = items.toSorted((one, other) => (timeOf(other) ?? 0) - (timeOf(one) ?? 0));
  const byId = new Map(items.map(item => [idOf(item), item]));
  const ends = [...log.items.slice(0, MAX_ENTRIES), ...log.items.slice(-MAX_ENTRIES).reverse()];
  const named = ends.flatMap(entry => leaves(entry).map(({ value }) => byId.get(namedIn(value, byId) ?? '')));
  const between = items.filter((_, index) => index % Math.ceil(items.length / MAX_PROJECTS) === 0);
  const chosen = [byUpdate, [...new Set(named)].filter(each => each !== undefined), between];
  return new Set([...items.slice(0, 1), ...chosen.flatMap(each => each.slice(0, MAX_PROJECTS))]);
}

/** The texts, numbers and so on in an entry of the log, with their paths: names joined by dots, without indexes. */
export function leaves(value: Json, path?: string): { path: string; value: Json }[] {
  if (Array.isArray(value)) return value.flatMap(each => leaves(each, path)).slice(0, MAX_LEAVES);
  if (!isJsonObject(value)) return path === undefined ? [] : [{ path, value }];
  const under = (name: string) => (path === undefined ? name : `${path}.${name}`);
  return Object.entries(value)
    .flatMap(([name, each]) => leaves(each, under(name)))
    .slice(0, MAX_LEAVES);
}

/** The identifier that a value names: it is the value, or a piece of the path or sentence there. */
export function namedIn(value: Json, ids: Pick<ReadonlySet<string>, 'has'>): string | undefined {
  const text = textOf(value);
  return (typeof value === 'number' ? [text] : piecesOf(text)).find(piece => ids.has(piece));
}

/** The paths at which entries name one of these, the most frequent first. */
export function pathsNaming(entries: readonly JsonObject[], ids: ReadonlySet<string>): string[] {
  const counts = new Map<string, number>();
  for (const entry of entries) {
    const naming = leaves(entry).filter(({ value }) => namedIn(value, ids) !== undefined);
    for (const path of new Set(naming.map(each => each.path))) counts.set(path, (counts.get(path) ?? 0) + 1);
  }
  return [...counts].sort(([, one], [, other]) => other - one).map(([path]) => path);
}

/** The path at which each entry has a time, and these times. */
export function entryTimes(entries: readonly JsonObject[]): { path: string; times: number[] } | undefined {
  const [first = {}] = entries;
  for (const { path, value } of leaves(first)) {
    if (timeOf(value) === undefined) continue;
    const times = entries.map(entry => timeOf(leaves(entry).find(leaf => leaf.path === path)?.value));
    if (known(times).length === entries.length) return { path, times: known(times) };
  }
  return undefined;
}
