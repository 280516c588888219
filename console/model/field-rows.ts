import { changeText } from './change-line.ts';
import { dataOf } from './committed.ts';
import type { Entry } from './history.ts';
import { type TimeAxis, timeAxis } from './time-axis.ts';
import type { ValueText } from './value.ts';

/** The values of a field over time, or the life of a record that was created or deleted. */
export interface FieldRow {
  readonly key: string;
  /** Absent for a field of the record that the timeline is of. */
  readonly task: string | undefined;
  /** Undefined for the record itself. */
  readonly field: string | undefined;
  readonly spans: readonly Span[];
}

/** A value, from one change to the next. */
export interface Span {
  /** The event that began it; undefined if it began earlier. */
  readonly id: string | undefined;
  readonly text: ValueText;
  /** When it began and ended: from the beginning of the axis (0) to its end (1). */
  readonly from: number;
  readonly to: number;
}

export interface FieldRows {
  readonly axis: TimeAxis;
  readonly rows: readonly FieldRow[];
}

/** The share of the axis before the first change, in which the earlier values are shown. */
const LEAD = 0.06;
const MAX_VALUE = 80;

/** The fields of a project and its tasks, or of a task, that were updated, and the records that were created or
 *  deleted: the project's first, then those of the task that changed last; undefined without changes.
 *  @param entries newest first
 *  @param now in ms since 1970 */
export function fieldRows(entries: readonly Entry[], isOfTask: boolean, now: number): FieldRows | undefined {
  const changed = entries.filter(({ line }) => line.project !== undefined && !Number.isNaN(line.at));
  const [last, first] = [changed[0]?.line.at, changed.at(-1)?.line.at];
  if (first === undefined || last === undefined) return undefined;
  const end = Math.max(now, last);
  const axis = timeAxis(first - (end - first) * LEAD, end);
  const records = Map.groupBy(changed, ({ line }) => line.task?.id);
  const own = records.get(undefined) ?? [];
  const tasks = [...records].flatMap(([task, all]) => (task === undefined ? [] : [all]));
  const rows = [own, ...tasks].flatMap(all => rowsOf(all.toReversed(), isOfTask, axis));
  return rows.length === 0 ? undefined : { axis, rows };
}

/** @param entries of one record, oldest first */
function rowsOf(entries: readonly Entry[], isOfTask: boolean, axis: TimeAxis): FieldRow[] {
  const { task } = entries.at(-1)?.line ?? {};
  const head = { task: isOfTask ? undefined : task?.name };
  const key = JSON.stringify(task?.id ?? null);
  const life = entries.filter(({ line }) => line.action === 'created' || line.action === 'deleted');
  const fields = new Map<string, { label: string; steps: Step[]; isUpdated: boolean }>();
  for (const { committed, line } of entries)
    for (const change of dataOf(committed).changes ?? []) {
      const { field, label, from, to } = changeText(change, MAX_VALUE);
      const row = fields.get(field) ?? { label, steps: [], isUpdated: false };
      const isUpdated = row.isUpdated || line.action === 'updated';
      const isBegun = row.steps.length === 0 && line.action !== 'created' ? [{ text: from }] : [];
      fields.set(field, {
        ...{ label, isUpdated },
        steps: [...row.steps, ...isBegun, { at: line.at, id: line.id, text: to }],
      });
    }
  const lifeSteps = life.flatMap(({ line }, index) => [
    ...(index === 0 && line.action === 'deleted' ? [{ text: 'exists' }] : []),
    { at: line.at, id: line.id, text: line.action },
  ]);
  return [
    ...(life.length > 0 ? [{ key, ...head, field: undefined, spans: spansOf(lifeSteps, axis) }] : []),
    ...[...fields]
      .filter(([, { isUpdated }]) => isUpdated)
      .map(([field, { label, steps }]) => ({
        ...{ key: `${key} ${field}`, ...head, field: label },
        spans: spansOf(steps, axis),
      })),
  ];
}

interface Step {
  readonly at?: number;
  readonly id?: string;
  readonly text: ValueText;
}

function spansOf(steps: readonly Step[], { since, size, count }: TimeAxis): Span[] {
  const placeOf = (at: number | undefined) => (at === undefined ? 0 : (at - since) / (size * count));
  return steps.map(({ at, id, text }, index) => ({
    ...{ id, text, from: placeOf(at) },
    to: index + 1 < steps.length ? placeOf(steps[index + 1]?.at) : 1,
  }));
}
