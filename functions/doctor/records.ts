import type { RecordKind } from '../basics/identifier-names.ts';
import { identifierNames } from '../basics/identifier-names.ts';
import { isJsonObject, type Json, type JsonObject } from '../basics/json.ts';
import { jsonEqual } from '../changes/equal.ts';
import {
  type ListRead,
  MAX_TRIES,
  pageBody,
  projectsPage,
  readProjects,
  readTasks,
  tasksPage,
} from './asker.ts';
import {
  type Asked,
  counted,
  fine,
  type Judged,
  outcome,
  propertyList,
  setting,
  shown,
  unknown,
  warning,
} from './finding.ts';
import { type Check, candidates, type Definitions, isNamedAsIdentifier, isUnique } from './survey.ts';
import { isUsual, textOf, timeOf } from './update-time.ts';

/** Which property identifies projects, tasks and users (service-api.md §2.1, §2.4). */
export const identifiers: Check = {
  topic: 'identifiers',
  examine({ projects, key, tasks, users }) {
    // Identifiers may be unique only within a project: of tasks, the longest list shows most.
    const [most] = tasks.map(({ read }) => read.items).sort((one, other) => other.length - one.length);
    const ofTasks = tasks.flatMap(({ read }) => read.answers);
    return [
      judgeIdentifier(
        'project',
        projects.items,
        [...projects.answers.slice(0, 1), ...key.asked],
        key.property,
      ),
      judgeIdentifier('task', most ?? [], ofTasks),
      judgeIdentifier('user', users.items, users.answers),
    ];
  },
};

/** The property that identifies these records. */
export function identifierOf(kind: RecordKind, records: readonly JsonObject[]): string | undefined {
  const usual = usualIn(kind, records);
  if (usual !== undefined && isUnique(records, usual)) return usual;
  return candidates(records, kind).find(name => isUnique(records, name));
}

/** The property by which a pass identifies these records without a setting. */
export function usualIn(kind: RecordKind, records: readonly JsonObject[]): string | undefined {
  return identifierNames(kind).find(name => records.some(record => textOf(record[name]) !== ''));
}

/** `proven`: the property that the service's own paths take, where that could be found out. */
export function judgeIdentifier(
  kind: RecordKind,
  records: readonly JsonObject[],
  asked: Asked,
  proven?: string,
): Judged {
  const topic = `${kind} identifiers`;
  if (records.length === 0) {
    const remedy = `Ask the doctor again when there is a ${kind}.`;
    return unknown(topic, `There is no ${kind} to see it by.`, { asked, came: `no ${kind}` }, remedy);
  }
  const possible = candidates(records, kind).filter(name => isUnique(records, name));
  const on = {
    asked,
    came: `${counted(records.length, kind)}; different in each: ${propertyList(possible)}`,
  };
  const right = proven ?? identifierOf(kind, records);
  if (right === undefined) {
    const remedy = `Ask the operator of the service which property it is, and set identifiers.${kind}.`;
    const text = `No property identifies a ${kind}: none has a value of its own in each.`;
    return warning(topic, text, on, remedy);
  }
  const others = possible.filter(name => name !== right && isNamedAsIdentifier(name));
  const more = others.length > 0 ? ` ${propertyList(others)} could, too.` : '';
  const text = `${shown(right)} identifies a ${kind}: ${formOf(records.map(record => record[right]))}.${more}`;
  if (right === usualIn(kind, records)) return fine(topic, text, on);
  const settings = { workspace: { identifiers: { [kind]: right } } };
  return setting(topic, text, on, settings, `Set identifiers.${kind}, as below.`);
}

function formOf(values: readonly (Json | undefined)[]): string {
  const types = new Set(values.map(value => typeof value));
  if (types.size > 1) return 'numbers and texts, mixed';
  return types.has('number') ? 'numbers, which become texts in events' : 'texts';
}

/** The definitions of custom fields, whose shape is open (service-api.md §2.4, §4 #6 and #7). */
export const definitions: Check = {
  topic: 'definitions',
  examine: ({ definitions: { project, task } }) => [
    judgeDefinitions('definitions of project fields', project),
    judgeDefinitions('definitions of task fields', task),
  ],
};

const TYPES = new Set(['text', 'number', 'date', 'single-choice', 'multiple-choice']);

function judgeDefinitions(topic: string, { answer, fields }: Definitions): Judged {
  const { body } = answer;
  const asked = [answer];
  if (body === undefined) {
    const text =
      'They can not be read. Events then name custom fields by their property, and compare them as they stand.';
    const remedy = 'Ask the operator of the service for access.';
    return warning(topic, text, { asked, came: outcome(answer) }, remedy);
  }
  const archived = fields.filter(each => each.archived).length;
  const came = `${shapeOf(body)}: ${counted(fields.length, 'field')}, ${archived} archived`;
  const hasList = Array.isArray(body) || (isJsonObject(body) && Object.values(body).some(Array.isArray));
  if (fields.length === 0 && !hasList) {
    const text = 'No definition is to be found in the answer.';
    return warning(topic, text, { asked, came }, 'Report the shape of the answer.');
  }
  const strange = fields.filter(({ type }) => !TYPES.has(type)).map(({ type }) => type);
  if (strange.length === 0)
    return fine(topic, `They come as ${shapeOf(body)}, and all types are known.`, { asked, came });
  const text = `Types that are not known: ${propertyList(strange)}. Their values are compared as they stand.`;
  return warning(topic, text, { asked, came });
}

/** How deep in the answer the definitions are. */
function shapeOf(body: Json): string {
  if (Array.isArray(body)) return 'a list';
  if (!isJsonObject(body)) return 'no object';
  const lists = Object.entries(body).flatMap(([key, list]) => (Array.isArray(list) ? [{ key, list }] : []));
  const isGroup = (each: Json) =>
    isJsonObject(each) && Object.keys(each).some(key => /fields|items/i.test(key));
  const kind = lists.some(({ list }) => list.some(isGroup)) ? 'groups of fields' : 'one list of fields';
  return `${kind} in ${propertyList(lists.map(({ key }) => key))}`;
}

/** Identifiers that several records have, and large records. */
export const records: Check = {
  topic: 'records',
  async examine({ asker, projects, tasks }) {
    const ofProjects = await withoutTwins('project', projects, () => readProjects(asker));
    const ofTasks: ListRead[] = [];
    for (const { id, read } of tasks)
      ofTasks.push(await withoutTwins('task', read, () => readTasks(asker, id)));
    const lists = [projects, ...tasks.map(({ read }) => read)];
    return [
      judgeTwins('project', [ofProjects]),
      judgeTwins('task', ofTasks),
      judgeSizes(
        lists.flatMap(({ items }) => items),
        lists.flatMap(({ answers }) => answers),
      ),
    ];
  },
};

type Listed = 'project' | 'task';

/** A reading without twins, if there is one: a record that moves while a list is read comes twice, too. */
async function withoutTwins(kind: Listed, read: ListRead, again: () => Promise<ListRead>): Promise<ListRead> {
  let last = read;
  for (let tries = 1; tries < MAX_TRIES && twinsIn(kind, last).length > 0; tries += 1) last = await again();
  return last;
}

function twinsIn(kind: Listed, { items }: ListRead): string[] {
  const property = usualIn(kind, items);
  const ids = property === undefined ? [] : items.map(record => textOf(record[property]));
  return ids.filter((id, index) => id !== '' && ids.indexOf(id) < index);
}

function judgeTwins(kind: Listed, lists: readonly ListRead[]): Judged {
  const topic = `${kind}s that come twice`;
  const twins = lists.flatMap(list => twinsIn(kind, list));
  const count = lists.reduce((sum, { items }) => sum + items.length, 0);
  const asked = lists.flatMap(({ answers }) => answers);
  const on = { asked, came: `${counted(count, kind)}, ${counted(twins.length, 'twin')}` };
  if (twins.length === 0) return fine(topic, 'None.', on);
  const text = `Several records have one identifier: ${propertyList(twins)}. Where they differ, none of them is polled.`;
  const remedy = `If they moved while the list was read, ask again. Else set identifiers.${kind} to a property that differs.`;
  return warning(topic, text, on, remedy);
}

const SIZES = 'record sizes';
/** An event has room for a record of this size at most. */
const MAX_EVENT_CHARACTERS = 240_000;

function judgeSizes(all: readonly JsonObject[], asked: Asked): Judged {
  const largest = all.reduce((most, record) => Math.max(most, JSON.stringify(record).length), 0);
  const came = `${counted(all.length, 'record')}, the largest of ${largest} characters`;
  if (largest <= MAX_EVENT_CHARACTERS)
    return fine(SIZES, 'Every record fits into its event.', { asked, came });
  const text = 'Some record does not fit into an event, which is then sent without it (truncated).';
  return warning(SIZES, text, { asked, came });
}

const STABILITY = 'fields that change by themselves';

/** Reads some records again. A time that moved to about now while all other fields stayed changes with each
 *  look or update. */
export const stability: Check = {
  topic: STABILITY,
  async examine({ asker, projects, tasks: [first], definitions: { project, task }, update }) {
    const ofProjects = await projectsPage(asker, { first: projects.first });
    const ofTasks = first && (await tasksPage(asker, first.id, first.read.first));
    // A project's update time alone moves with each edit of a task.
    const apart = new Set([...project.names, update.name ?? '', ...update.others]);
    const changed = [
      ...differing('project', projects.items, pageBody(ofProjects.body, 'projects').items, apart),
      ...differing('task', first?.read.items ?? [], pageBody(ofTasks?.body).items, task.names),
    ];
    const asked = ofTasks ? [ofProjects, ofTasks] : [ofProjects];
    return [judgeStability(changed, asked, ofProjects.date ?? asker.clock())];
  },
};

/** The only field in which two readings of a record differ. */
interface Differing {
  readonly name: string;
  readonly before: Json | undefined;
  readonly after: Json | undefined;
}

function differing(
  kind: Listed,
  before: readonly JsonObject[],
  after: readonly JsonObject[],
  apart: ReadonlySet<string>,
): Differing[] {
  const property = usualIn(kind, before) ?? '';
  const known = new Map(before.map(record => [textOf(record[property]), record]));
  return after.flatMap(record => {
    const other = known.get(textOf(record[property]));
    const names = other ? changedIn(other, record).filter(each => !isUsual(each)) : [];
    const [name, ...more] = names;
    if (!other || name === undefined || more.length > 0 || apart.has(name)) return [];
    return [{ name, before: other[name], after: record[name] }];
  });
}

/** The names of the fields in which two readings of a record differ. */
export function changedIn(one: JsonObject, other: JsonObject): string[] {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].filter(name => !jsonEqual(one[name] ?? null, other[name] ?? null));
}

const RECENT_MS = 600_000;

/** True for a time that moved to about `now`. */
export function movedToNow(before: Json | undefined, after: Json | undefined, now: number): boolean {
  const time = timeOf(after);
  return time !== undefined && time > (timeOf(before) ?? 0) && Math.abs(now - time) < RECENT_MS;
}

export function judgeStability(changed: readonly Differing[], asked: Asked, now: number): Judged {
  const moved = changed.filter(
    ({ before, after }) => timeOf(before) !== undefined && movedToNow(before, after, now),
  );
  const fields = [...new Set(moved.map(({ name }) => name))];
  const on = { asked, came: `${counted(changed.length, 'record')} with one field changed` };
  if (fields.length > 0) {
    const text = `${propertyList(fields)} changed between two readings, and nothing else of the record.`;
    return setting(STABILITY, text, on, { process: { ignoreFields: fields } });
  }
  const others = propertyList(changed.map(({ name }) => name));
  const text = `None is a time. What changed was ${others}, as an edit may do.`;
  return fine(STABILITY, changed.length > 0 ? text : 'None.', on);
}
