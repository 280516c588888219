import type { JsonObject } from '../basics/json.ts';
import { indexProjectFields, indexTaskFields } from '../changes/field-index.ts';
import type { Probed } from '../service/probe.ts';
import type { Asker } from './asker.ts';
import { type ListRead, readProjects, textOf } from './lists.ts';
import { isOtherTime, isUsual, saysUpdate, type TimeField, timeFields, timeOf } from './times.ts';

/** The field that holds a project's update time. */
export interface UpdateField {
  readonly name: string | undefined;
  /** Other fields that hold it, too. */
  readonly others: readonly string[];
  readonly asked: readonly Probed[];
}

const MOST_CANDIDATES = 4;
const MAX_TRIES = 3;

/** What was found, by asker: each examination rests on one answer. */
const known = new WeakMap<Asker, Promise<UpdateField>>();

/** Finds it by its name, or by a test: `updatedBefore` returns just those projects that are earlier by this
 *  field. */
export function updateField(asker: Asker): Promise<UpdateField> {
  const found = known.get(asker) ?? findUpdateField(asker);
  known.set(asker, found);
  return found;
}

async function findUpdateField(asker: Asker): Promise<UpdateField> {
  const projects = await readProjects(asker);
  const fields = timeFields(projects.items, await customNames(asker, 'project'));
  const usual = fields.find(({ name }) => isUsual(name))?.name;
  const asked: Probed[] = [];
  const found: string[] = [];
  const rest = fields.filter(({ name }) => !isUsual(name) && !isOtherTime(name));
  const likely = rest.toSorted((one, other) => Number(saysUpdate(other.name)) - Number(saysUpdate(one.name)));
  for (const field of likely.slice(0, MOST_CANDIDATES)) {
    const { came, isUpdate } = await test(asker, projects, field);
    asked.push(...came);
    if (isUpdate ?? saysUpdate(field.name)) found.push(field.name);
  }
  const [first, ...others] = usual === undefined ? found : [usual, ...found];
  return { name: first, others, asked };
}

/** The properties that hold custom fields. */
export async function customNames(asker: Asker, kind: 'project' | 'task'): Promise<ReadonlySet<string>> {
  const { process } = asker;
  const came =
    kind === 'project'
      ? await asker.get(['processes', process, 'coverpage'])
      : await asker.get(['processes', process, 'task-custom-fields'], { includeArchived: 'true' });
  const definitions = came.body === undefined ? [] : asker.definitions(came.body);
  const index = kind === 'project' ? indexProjectFields(definitions) : indexTaskFields(definitions);
  return new Set(index.keys());
}

/** Whether `updatedBefore` compares with this field; undefined where that can't be found out. It asks for old
 *  updates, because recent ones may not show yet, and goes by the projects that were not edited in between. */
async function test(
  asker: Asker,
  read: ListRead,
  { name, ...field }: TimeField,
): Promise<{ came: readonly Probed[]; isUpdate: boolean | undefined }> {
  const between = middle(field);
  if (!read.isWhole || between === undefined) return { came: [], isUpdate: undefined };
  const came: Probed[] = [];
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const query = { updatedBefore: new Date(between).toISOString() };
    const half = await readProjects(asker, { query, again: true });
    const now = await readProjects(asker, { again: true });
    came.push(...half.answers);
    if (!half.isWhole || !now.isWhole) return { came, isUpdate: undefined };
    const valuesOf = ({ items }: ListRead) => new Map(items.map(item => [keyOf(item), timeOf(item[name])]));
    const [were, are] = [valuesOf(read), valuesOf(now)];
    const stable = [...were].filter(([key, time]) => are.has(key) && are.get(key) === time);
    const returned = new Set(half.items.map(keyOf));
    const isSame = stable.every(([key, time]) => returned.has(key) === (time ?? between) < between);
    const sides = new Set(stable.map(([, time]) => (time ?? between) < between));
    if (sides.size === 2 && (isSame || stable.length === were.size)) return { came, isUpdate: isSame };
  }
  return { came, isUpdate: undefined };
}

/** A time between those of the earlier and the later half of the records, which none of them has. */
function middle({ times }: Pick<TimeField, 'times'>): number | undefined {
  const sorted = [...new Set(times.filter(time => time !== undefined))].sort((one, other) => one - other);
  const [low, high] = [
    sorted[Math.floor((sorted.length - 1) / 2)],
    sorted[Math.floor((sorted.length + 1) / 2)],
  ];
  return low === undefined || high === undefined || high - low < 2 ? undefined : Math.floor((low + high) / 2);
}

/** Distinguishes records. Without an identifier their JSON does; an edit between two readings changes it, but
 *  that is rare. */
function keyOf(record: JsonObject): string {
  return textOf(record.id) || textOf(record.projectId) || textOf(record.externalId) || JSON.stringify(record);
}
