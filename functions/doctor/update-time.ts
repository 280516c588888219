import type { Json, JsonObject } from '../basics/json.ts';
import { ignoredFields, timestampIn } from '../changes/ignored-fields.ts';
import type { Probed } from '../service/probe.ts';
import { type Asker, confirmed, type ListRead, readProjects } from './asker.ts';

/** An update that is older than this shows everywhere. */
export const RECENT_MS = 600_000;
const MIN_TIME = Date.UTC(2001, 0, 1);
const MAX_TIME = Date.UTC(2100, 0, 1);
const NEARLY_ALL = 0.9;
const MAX_CANDIDATES = 4;

/** A time of day as ms since 1970: from ISO text, or from seconds or milliseconds as a number. */
export function timeOf(value: Json | undefined): number | undefined {
  if (typeof value === 'number') {
    const time = value < 1e11 ? value * 1000 : value;
    return time > MIN_TIME && time < MAX_TIME ? time : undefined;
  }
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/.test(value)) return undefined;
  return timestampIn(value.replace(' ', 'T'));
}

export const known = (times: readonly (number | undefined)[]): number[] =>
  times.filter(time => time !== undefined);

/** How the times of a list follow each other. */
export function orderOf(times: readonly number[]): 'oldest' | 'newest' | 'mixed' | 'equal' {
  const steps = times.slice(1).map((time, index) => time - (times[index] ?? time));
  const [rises, falls] = [steps.some(step => step > 0), steps.some(step => step < 0)];
  if (rises) return falls ? 'mixed' : 'oldest';
  return falls ? 'newest' : 'equal';
}

type TimeField = ReturnType<typeof timeFields>[number];

/** The top-level fields that hold times in all records, or nearly all, other than custom ones. */
export function timeFields(records: readonly JsonObject[], custom: ReadonlySet<string>) {
  const names = new Set(records.flatMap(record => Object.keys(record)));
  return [...names]
    .filter(name => !custom.has(name))
    .map(name => ({ name, times: records.map(record => timeOf(record[name])) }))
    .filter(({ times }) => known(times).length >= NEARLY_ALL * times.length);
}

/** True for a usual name of update timestamps: these are ignored without being configured. */
export const isUsual = (name: string): boolean => ignoredFields([]).has(name);

/** The likely meaning of a time field with an unusual name. */
export function meaningOf(name: string): 'update' | 'other' | 'open' {
  if (OTHER_TIME.test(name)) return 'other';
  return UPDATE_TIME.test(name) ? 'update' : 'open';
}

const OTHER_TIME =
  /creat|start|begin|birth|due|deadline|plan|schedul|complet|clos|archiv|deliver|finish|^end|until|expir|publish|remind/i;
const UPDATE_TIME =
  /updat|modif|chang|edit|touch|activit|sync|revis|saved|seen|view|access|visit|stamp|mtime/i;

/** Finds the fields with a project's update time, by name, or by whether `updatedBefore` compares with them. */
export async function findUpdateField(asker: Asker, projects: ListRead, custom: ReadonlySet<string>) {
  const fields = timeFields(projects.items, custom);
  const usual = fields.find(({ name }) => isUsual(name))?.name;
  const asked: Probed[] = [];
  const found: string[] = [];
  const rest = fields.filter(({ name }) => !isUsual(name) && meaningOf(name) !== 'other');
  const rank = ({ name }: TimeField) => (meaningOf(name) === 'update' ? 0 : 1);
  const likely = rest.toSorted((one, other) => rank(one) - rank(other));
  for (const field of likely.slice(0, MAX_CANDIDATES)) {
    const follows = await followsFilter(asker, projects, field, asked);
    if (follows === 'yes' || (follows === 'unknown' && meaningOf(field.name) === 'update'))
      found.push(field.name);
  }
  const [name, ...others] = usual === undefined ? found : [usual, ...found];
  return { name, others, asked };
}

/** Whether `updatedBefore` compares with this field. It asks for old updates, because recent ones may not be visible
 *  yet, and ignores projects that were edited during the check. */
async function followsFilter(
  asker: Asker,
  projects: ListRead,
  { name, times }: TimeField,
  asked: Probed[],
): Promise<'yes' | 'no' | 'unknown'> {
  const between = middle(times);
  if (!projects.isWhole || between === undefined) return 'unknown';
  const isEarlier = (time: number | undefined) => (time ?? between) < between;
  const valuesOf = ({ items }: ListRead) => new Map(items.map(item => [keyOf(item), timeOf(item[name])]));
  const follows = await confirmed<'yes' | 'no' | 'unknown'>({ asker, projects }, async before => {
    const half = await readProjects(asker, { updatedBefore: new Date(between).toISOString() });
    asked.push(...half.answers);
    if (!half.isWhole || !before.isWhole) return 'unknown';
    return after => {
      const [were, are] = [valuesOf(before), valuesOf(after)];
      const stable = [...were].filter(([key, time]) => are.has(key) && are.get(key) === time);
      const returned = new Set(half.items.map(keyOf));
      const isSame = stable.every(([key, time]) => returned.has(key) === isEarlier(time));
      const hasBoth = new Set(stable.map(([, time]) => isEarlier(time))).size === 2;
      if (!after.isWhole || !hasBoth || !(isSame || stable.length === were.size)) return undefined;
      return isSame ? 'yes' : 'no';
    };
  });
  return follows ?? 'unknown';
}

/** A time between those of the earlier and the later half of the records, which is not the time of any. */
function middle(times: TimeField['times']): number | undefined {
  const sorted = [...new Set(known(times))].sort((one, other) => one - other);
  const low = sorted[Math.floor((sorted.length - 1) / 2)];
  const high = sorted[Math.floor((sorted.length + 1) / 2)];
  return low === undefined || high === undefined || high - low < 2 ? undefined : Math.floor((low + high) / 2);
}

/** An identifier as text; empty when the value is neither text nor number. */
export const textOf = (value: Json | undefined): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/** Distinguishes records: by an identifier, else by their JSON, which an edit between two readings rarely changes. */
function keyOf(record: JsonObject): string {
  return textOf(record.id) || textOf(record.projectId) || textOf(record.externalId) || JSON.stringify(record);
}
