import { identifierNames, type RecordKind } from '../basics/identifier-names.ts';
import type { JsonObject } from '../basics/json.ts';
import { indexProjectFields, indexTaskFields } from '../changes/field-index.ts';
import type { FieldDefinition } from '../model/field-definition.ts';
import type { Probed, ProbedToken } from '../service/probe.ts';
import {
  type Asker,
  getDefinitions,
  type ListRead,
  readLog,
  readProjects,
  readTasks,
  readUsers,
} from './asker.ts';
import { leaves, namedIn } from './entries.ts';
import type { Judged } from './finding.ts';
import { findUpdateField, textOf, timeOf, type UpdateField } from './update-time.ts';

/** What most checks rest on: the lists of a process as they were read once, and how to read their records. */
export interface Survey {
  readonly asker: Asker;
  readonly token: ProbedToken;
  /** Five pages at most. */
  readonly projects: ListRead;
  /** Eight pages at most. */
  readonly log: ListRead;
  readonly users: ListRead;
  /** The tasks of some projects. */
  readonly tasks: readonly TasksRead[];
  readonly definitions: Readonly<Record<'project' | 'task', Definitions>>;
  readonly key: ProjectKey;
  readonly update: UpdateField;
  /** Projects updated after tomorrow: an empty list, where `updatedAfter` works. */
  readonly future: ListRead;
  /** The identifier of a project, as paths take it. */
  idOf(project: JsonObject): string;
  /** The update time of a project. */
  timeOf(project: JsonObject): number | undefined;
  /** The service's time, as far as answers show it. */
  now(): number;
}

/** One row of the table of checks: it examines a part of what service-api.md §4 leaves open. Functions named
 *  judge… send no requests. */
export interface Check {
  readonly topic: string;
  examine(survey: Survey): Judged[] | Promise<Judged[]>;
}

/** A project, and its tasks as far as they were read. */
export interface TasksRead {
  readonly project: JsonObject;
  readonly id: string;
  readonly read: ListRead;
}

/** An answer with definitions of custom fields. */
export interface Definitions {
  readonly answer: Probed;
  readonly fields: readonly FieldDefinition[];
  /** The properties of records that hold these fields. */
  readonly names: ReadonlySet<string>;
}

/** The property of a project that the service's paths take, where one was found. */
interface ProjectKey {
  readonly property: string | undefined;
  readonly asked: readonly Probed[];
}

const DAY = 24 * 60 * 60 * 1000;

/** Reads what checks rest on. `token` and `projects` were read already. */
export async function createSurvey(asker: Asker, token: ProbedToken, projects: ListRead): Promise<Survey> {
  const definitions = {
    project: await readDefinitions(asker, 'project', indexProjectFields),
    task: await readDefinitions(asker, 'task', indexTaskFields),
  };
  const update = await findUpdateField(asker, projects, definitions.project.names);
  const log = await readLog(asker);
  const read = new Map<string, ListRead>();
  const key = await findProjectKey(asker, projects.items, read);
  const [first] = projects.answers;
  const ahead = first?.date === undefined ? 0 : first.date - first.at;
  const now = () => asker.clock() + (Math.abs(ahead) > DAY ? 0 : ahead);
  const parts = {
    ...{ asker, token, projects, log, definitions, key, update, now },
    users: await readUsers(asker),
    future: await readProjects(asker, { updatedAfter: new Date(now() + DAY).toISOString() }),
    idOf: (project: JsonObject) => textOf(project[key.property ?? 'id']),
    timeOf: (project: JsonObject) => (update.name === undefined ? undefined : timeOf(project[update.name])),
  };
  const tasks: TasksRead[] = [];
  for (const project of key.property === undefined ? [] : someProjects(parts)) {
    const id = parts.idOf(project);
    if (id !== '') tasks.push({ project, id, read: read.get(id) ?? (await readTasks(asker, id)) });
  }
  return { ...parts, tasks };
}

async function readDefinitions(
  asker: Asker,
  kind: 'project' | 'task',
  index: (fields: readonly FieldDefinition[]) => ReadonlyMap<string, unknown>,
): Promise<Definitions> {
  const answer = await getDefinitions(asker, kind);
  const fields = answer.body === undefined ? [] : asker.definitions(answer.body);
  return { answer, fields, names: new Set(index(fields).keys()) };
}

const MAX_CANDIDATES = 4;
const MAX_PROJECTS = 3;

/** Tries the usual properties first, and then those that are unique. The tasks that it reads go into `read`. */
async function findProjectKey(
  asker: Asker,
  items: readonly JsonObject[],
  read: Map<string, ListRead>,
): Promise<ProjectKey> {
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

const MAX_ENTRIES = 10;

/** The first project, some that were updated last, some that the audit log names at its ends, and some spread
 *  over the list. */
function someProjects({ projects, log, idOf, timeOf }: Pick<Survey, 'projects' | 'log' | 'idOf' | 'timeOf'>) {
  const { items } = projects;
  const byUpdate = items.toSorted((one, other) => (timeOf(other) ?? 0) - (timeOf(one) ?? 0));
  const byId = new Map(items.map(item => [idOf(item), item]));
  const ends = [...log.items.slice(0, MAX_ENTRIES), ...log.items.slice(-MAX_ENTRIES).reverse()];
  const named = ends.flatMap(entry => leaves(entry).map(({ value }) => byId.get(namedIn(value, byId) ?? '')));
  const between = items.filter((_, index) => index % Math.ceil(items.length / MAX_PROJECTS) === 0);
  const chosen = [byUpdate, [...new Set(named)].filter(each => each !== undefined), between];
  return new Set([...items.slice(0, 1), ...chosen.flatMap(each => each.slice(0, MAX_PROJECTS))]);
}
