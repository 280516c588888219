import { identifierNames, type RecordKind } from '../basics/identifier-names.ts';
import { isJsonObject, type Json, type JsonObject } from '../basics/json.ts';
import { jsonEqual } from '../changes/equal.ts';
import { type ListRead, MAX_TRIES, pageBody, projectsPage, readProjects, readTasks } from './asker.ts';
import { type Asked, counted, type Judged, listed, outcome, shown, topicOf } from './finding.ts';
import { candidates, isNamedAsIdentifier, isUnique, type Survey } from './survey.ts';
import { isUsual, RECENT_MS, textOf, timeOf } from './update-time.ts';

const SIZES = topicOf('record sizes');
const STABILITY = topicOf('fields that change by themselves');

const TYPES = new Set(['text', 'number', 'date', 'single-choice', 'multiple-choice']);
/** An event has room for a record of this size at most. */
const MAX_EVENT_CHARACTERS = 240_000;

type Records = readonly JsonObject[];
type Listed = 'project' | 'task';

/** Which property identifies projects, tasks and users (service-api.md §2.1, §2.4). */
export function judgeIdentifiers({ projects, key, tasks, users }: Survey): Judged[] {
  // Identifiers may be unique only within a project: of tasks, the longest list shows most.
  const lists = tasks.map(({ read }) => read.items).sort((one, other) => other.length - one.length);
  const ofTasks = tasks.flatMap(({ read }) => read.answers);
  const ofProjects = [...projects.answers.slice(0, 1), ...key.asked];
  return [
    judgeIdentifier('project', projects.items, ofProjects, key.property),
    judgeIdentifier('task', lists[0] ?? [], ofTasks),
    judgeIdentifier('user', users.items, users.answers),
  ];
}

/** The property that identifies these records. */
export function identifierOf(kind: RecordKind, records: Records): string | undefined {
  const usual = usualIn(kind, records);
  if (usual !== undefined && isUnique(records, usual)) return usual;
  return candidates(records, kind).find(name => isUnique(records, name));
}

/** The property by which a pass identifies these records without a setting. */
export function usualIn(kind: RecordKind, records: Records): string | undefined {
  return identifierNames(kind).find(name => records.some(record => textOf(record[name]) !== ''));
}

/** `proven`: the property that the service's own paths take, where that could be found out. */
export function judgeIdentifier(kind: RecordKind, records: Records, asked: Asked, proven?: string): Judged {
  const topic = topicOf(`${kind} identifiers`);
  if (records.length === 0) {
    const remedy = `Run the doctor again when a ${kind} exists.`;
    return topic.unknown(`No ${kind}s to check.`, { asked, came: `no ${kind}` }, remedy);
  }
  const possible = candidates(records, kind).filter(name => isUnique(records, name));
  const came = `${counted(records.length, kind)}; unique: ${listed(possible)}`;
  const right = proven ?? identifierOf(kind, records);
  if (right === undefined) {
    const remedy = `Ask the operator of the service which property it is, and set identifiers.${kind}.`;
    const text = `No property identifies a ${kind}: no property has a unique value.`;
    return topic.warning(text, { asked, came }, remedy);
  }
  const others = possible.filter(name => name !== right && isNamedAsIdentifier(name));
  const more = others.length > 0 ? ` Also possible: ${listed(others)}.` : '';
  const text = `A ${kind} is identified by ${shown(right)} (${formOf(records.map(record => record[right]))}).${more}`;
  if (right === usualIn(kind, records)) return topic.fine(text, { asked, came });
  const settings = { workspace: { identifiers: { [kind]: right } } };
  return topic.setting(text, { asked, came }, settings, `Set identifiers.${kind} as below.`);
}

function formOf(values: readonly (Json | undefined)[]): string {
  const types = new Set(values.map(value => typeof value));
  if (types.size > 1) return 'numbers and strings, mixed';
  return types.has('number') ? 'numbers, which become strings in events' : 'strings';
}

/** The definitions of custom fields, whose shape is open (service-api.md §2.4, §4 #6 and #7). */
export function judgeDefinitions(kind: Listed, { definitions }: Survey): Judged {
  const topic = topicOf(`definitions of ${kind} fields`);
  const { answer, fields } = definitions[kind];
  const { body } = answer;
  if (body === undefined) {
    const text =
      'They cannot be read. Events name custom fields by their property, and values are compared as they are.';
    const on = { asked: [answer], came: outcome(answer) };
    return topic.warning(text, on, 'Ask the operator of the service for access.');
  }
  const archived = fields.filter(each => each.archived).length;
  const { lists, shape } = shapeOf(body);
  const on = { asked: [answer], came: `${shape}: ${counted(fields.length, 'field')}, ${archived} archived` };
  if (fields.length === 0 && lists.length === 0) {
    const text = 'The answer contains no definitions.';
    return topic.warning(text, on, 'Report the shape of the answer.');
  }
  const strange = fields.filter(({ type }) => !TYPES.has(type)).map(({ type }) => type);
  if (strange.length === 0) return topic.fine(`Found as ${shape}; all types are known.`, on);
  const text = `Unknown types: ${listed(strange)}. Their values are compared as they are.`;
  return topic.warning(text, on);
}

/** The lists in an answer, and how deep in them the definitions are. */
function shapeOf(body: Json): { lists: readonly Json[]; shape: string } {
  if (Array.isArray(body)) return { lists: [body], shape: 'a list' };
  if (!isJsonObject(body)) return { lists: [], shape: 'not an object' };
  const lists = Object.entries(body).flatMap(([key, list]) => (Array.isArray(list) ? [{ key, list }] : []));
  const isGroup = (each: Json) =>
    isJsonObject(each) && Object.keys(each).some(key => /fields|items/i.test(key));
  const kind = lists.some(({ list }) => list.some(isGroup)) ? 'groups of fields' : 'one list of fields';
  const shape = `${kind} in ${listed(lists.map(({ key }) => key))}`;
  return { lists: lists.map(({ list }) => list), shape };
}

/** Identifiers that several records have, and large records. */
export async function examineRecords({ asker, projects, tasks }: Survey): Promise<Judged[]> {
  const ofProjects = await duplicatesIn('project', projects, () => readProjects(asker));
  const ofTasks: Duplicates[] = [];
  for (const { id, read } of tasks)
    ofTasks.push(await duplicatesIn('task', read, () => readTasks(asker, id)));
  const lists = [projects, ...tasks.map(({ read }) => read)];
  return [judgeDuplicates('project', [ofProjects]), judgeDuplicates('task', ofTasks), judgeSizes(lists)];
}

type Duplicates = Awaited<ReturnType<typeof duplicatesIn>>;

/** The identifiers that are duplicate in every reading: a record that moves during a reading is duplicate in one. */
async function duplicatesIn(kind: Listed, first: ListRead, read: () => Promise<ListRead>) {
  let last = first;
  let duplicates = repeated(kind, first);
  for (let readings = 1; readings < MAX_TRIES && duplicates.length > 0; readings += 1) {
    last = await read();
    const again = new Set(repeated(kind, last));
    duplicates = duplicates.filter(id => again.has(id));
  }
  return { ...last, duplicates };
}

function repeated(kind: Listed, { items }: ListRead): string[] {
  const property = usualIn(kind, items);
  const ids = property === undefined ? [] : items.map(record => textOf(record[property]));
  return ids.filter((id, index) => id !== '' && ids.indexOf(id) < index);
}

function judgeDuplicates(kind: Listed, lists: readonly Duplicates[]): Judged {
  const topic = topicOf(`${kind}s that come twice`);
  const duplicates = lists.flatMap(list => list.duplicates);
  const count = lists.reduce((sum, { items }) => sum + items.length, 0);
  const asked = lists.flatMap(({ answers }) => answers);
  const on = { asked, came: `${counted(count, kind)}, ${counted(duplicates.length, 'duplicate')}` };
  if (duplicates.length === 0) return topic.fine('None.', on);
  const text = `Several records share an identifier: ${listed(duplicates)}. If they differ, they are not polled.`;
  const remedy = `If they moved while the list was read, run the doctor again. Otherwise set identifiers.${kind} to a unique property.`;
  return topic.warning(text, on, remedy);
}

function judgeSizes(lists: readonly ListRead[]): Judged {
  const sizes = lists.flatMap(({ items }) => items.map(record => JSON.stringify(record).length));
  const largest = sizes.reduce((one, other) => Math.max(one, other), 0);
  const came = `${counted(sizes.length, 'record')}, the largest of ${largest} characters`;
  const on = { asked: lists.flatMap(({ answers }) => answers), came };
  if (largest <= MAX_EVENT_CHARACTERS) return SIZES.fine('Every record fits into its event.', on);
  const text = 'Some records are too large for an event, which is then sent without the record (truncated).';
  return SIZES.warning(text, on);
}

/** Reads some records again: a timestamp that alone moved to about now changes by itself. */
export async function examineStability(survey: Survey): Promise<Judged[]> {
  const { asker, projects, tasks, definitions, update } = survey;
  const [first] = tasks;
  const ofProjects = await projectsPage(asker, { first: projects.first });
  const ofTasks = first && (await readTasks(asker, first.id, 1));
  // A project's update time alone moves with each edit of a task.
  const excluded = new Set([...definitions.project.names, update.name ?? '', ...update.others]);
  const changed = [
    ...differing('project', projects.items, pageBody(ofProjects.body, 'projects').items, excluded),
    ...differing('task', first?.read.items ?? [], ofTasks?.items ?? [], definitions.task.names),
  ];
  const asked = [ofProjects, ...(ofTasks?.answers ?? [])];
  return [judgeStability(changed, asked, ofProjects.date ?? asker.clock())];
}

type Differing = ReturnType<typeof differing>[number];

/** The records of which two readings differ in one field alone. */
function differing(kind: Listed, before: Records, after: Records, excluded: ReadonlySet<string>) {
  const property = usualIn(kind, before) ?? '';
  const known = new Map(before.map(record => [textOf(record[property]), record]));
  return after.flatMap(record => {
    const other = known.get(textOf(record[property])) ?? record;
    const [name, ...more] = changedIn(other, record).filter(each => !isUsual(each));
    if (name === undefined || more.length > 0 || excluded.has(name)) return [];
    return [{ name, before: other[name], after: record[name] }];
  });
}

/** The names of the fields in which two readings of a record differ. */
export function changedIn(one: JsonObject, other: JsonObject): string[] {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].filter(name => !jsonEqual(one[name] ?? null, other[name] ?? null));
}

/** True for a time that moved to about `now`. */
export function movedToNow(before: Json | undefined, after: Json | undefined, now: number): boolean {
  const [from, time] = [timeOf(before), timeOf(after)];
  return from !== undefined && time !== undefined && time > from && Math.abs(now - time) < RECENT_MS;
}

export function judgeStability(changed: readonly Differing[], asked: Asked, now: number): Judged {
  const isMoved = ({ before, after }: Differing) => movedToNow(before, after, now);
  const ignoreFields = [...new Set(changed.filter(isMoved).map(({ name }) => name))];
  const on = { asked, came: `${counted(changed.length, 'record')} with one field changed` };
  if (ignoreFields.length > 0) {
    const text = `Between two readings, only ${listed(ignoreFields)} changed in a record.`;
    return STABILITY.setting(text, on, { process: { ignoreFields } });
  }
  if (changed.length === 0) return STABILITY.fine('None.', on);
  const others = listed(changed.map(({ name }) => name));
  return STABILITY.fine(`No timestamp changed by itself. Changed: ${others}, possibly by an edit.`, on);
}
