import type { JsonObject } from '../../basics/json.ts';
import { indexProjectFields, indexTaskFields } from '../../changes/field-index.ts';
import type { Probed } from '../../service/probe.ts';
import type { Asker } from './asker.ts';
import { type ListRead, readProjects, textOf } from './lists.ts';
import { isOtherTime, isUsual, known, saysUpdate, type TimeField, timeFields } from './times.ts';

/** The field in which projects say when they were updated. */
export interface UpdateField {
  readonly name: string | undefined;
  /** Others that hold update times, too. */
  readonly others: readonly string[];
  readonly asked: readonly Probed[];
}

const MOST_CANDIDATES = 4;

/** Finds it by its name, or else by asking: of a field that is the update time, `updatedBefore` returns just the earlier half. */
export async function updateField(asker: Asker): Promise<UpdateField> {
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

/** The properties that are custom fields. */
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

/** Whether `updatedBefore` goes by the field; undefined where that can't be told. It asks for what was updated long ago: that
 *  stands, where an update of just now may be shown later. */
async function test(
  asker: Asker,
  { items, isWhole }: ListRead,
  field: TimeField,
): Promise<{ came: readonly Probed[]; isUpdate: boolean | undefined }> {
  const between = middle(field);
  if (!isWhole || between === undefined) return { came: [], isUpdate: undefined };
  const half = await readProjects(asker, { query: { updatedBefore: new Date(between).toISOString() } });
  if (!half.isWhole) return { came: half.answers, isUpdate: undefined };
  const returned = new Set(half.items.map(keyOf));
  const expected = items.filter((_, index) => (field.times[index] ?? between) < between).map(keyOf);
  const isSame = returned.size === expected.length && expected.every(key => returned.has(key));
  return { came: half.answers, isUpdate: isSame };
}

/** A time that halves the records, and that none of them has. */
function middle({ times }: TimeField): number | undefined {
  const sorted = [...new Set(known(times))].sort((one, other) => one - other);
  const [low, high] = [
    sorted[Math.floor((sorted.length - 1) / 2)],
    sorted[Math.floor((sorted.length + 1) / 2)],
  ];
  return low === undefined || high === undefined || high - low < 2 ? undefined : Math.floor((low + high) / 2);
}

/** What tells records apart here: an edit in between makes one differ, and that is rare. */
function keyOf(record: JsonObject): string {
  return textOf(record.id) || textOf(record.projectId) || textOf(record.externalId) || JSON.stringify(record);
}
