import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../functions/basics/json.ts';
import { rulesOf } from '../../functions/changes/compare-project.ts';
import { type AppliedRule, applied, type Falling, fallDue } from '../../functions/changes/due.ts';
import type { Due, DueRule } from '../../functions/model/due.ts';
import type { ProjectContent } from '../../functions/model/snapshot.ts';
import { resolveRule } from '../../functions/pass/due.ts';

const HOUR = 3_600_000;
const NO_FIELDS = rulesOf({ project: [], task: [] }, new Set());
const RULES: readonly DueRule[] = [
  { event: 'task.due', field: 'date', before: '2d' },
  { event: 'task.due', field: 'date', before: '5h' },
  { event: 'task.overdue', field: 'date' },
  { event: 'task.overdue', field: 'date', since: '2026-03-28', where: [{ open: { in: [true] } }] },
  { event: 'project.due', field: 'date' },
  { event: 'project.unchanged', after: '1d' },
];
const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Pacific/Kiritimati'] as const;
// A few days around the clock changes of Berlin, and times at, before and after them.
const VALUES = [
  ...['2026-03-27', '2026-03-28', '2026-03-29', '2026-03-30', '2026-04-02', '2026-10-25', '2026-10-26'],
  ...['2026-03-29T01:30:00Z', '2026-03-28T23:00:00.000Z', '2026-10-25T02:30:00+02:00', '9999-12-31'],
  ...['', 'soon', '2026-02-30'],
];

/** When a value falls due: written down a second time, by other means. */
function timeOf({ event, before = '0d' }: DueRule, value: string, zone: string): number | undefined {
  if (!/^\d{4}-/.test(value) || value === '2026-02-30') return undefined;
  const isDay = value.length === 10;
  const at = isDay
    ? Temporal.ZonedDateTime.from(`${value}T00:00[${zone}]`)
    : Temporal.Instant.from(value).toZonedDateTimeISO(zone);
  const [count, unit] = [Number(before.slice(0, -1)), before.at(-1)];
  if (event.endsWith('.overdue')) return (isDay ? at.add({ days: 1 }) : at).epochMilliseconds;
  const moved = unit === 'd' ? at.subtract({ days: count }) : at.subtract({ hours: count });
  return moved.epochMilliseconds;
}

interface Step {
  readonly wait: number;
  readonly edits: readonly (readonly [record: string, value: string | undefined, open: boolean])[];
  readonly zone: number;
  readonly mask: number;
  readonly limit: number;
  /** How long before the commit the rules were seen. */
  readonly seen: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  wait: fc.oneof(
    fc.constantFrom(1, 60_000, 5 * HOUR, 24 * HOUR, 100 * HOUR, -HOUR),
    fc.integer({ min: 1, max: 60 * HOUR }),
  ),
  edits: fc.array(
    fc.tuple(
      fc.constantFrom('', 'a', 'b'),
      fc.option(fc.constantFrom(...VALUES), { nil: undefined, freq: 5 }),
      fc.boolean(),
    ),
    { maxLength: 2 },
  ),
  zone: fc.constantFrom(0, 1, 1, 1, 2, 3),
  mask: fc.constantFrom(63, 63, 63, 1, 5, 62, 0, 32),
  limit: fc.constantFrom(100, 100, 1, 0),
  seen: fc.constantFrom(0, 60_000),
});

/** What should be emitted, by a set of all values that were ever decided. */
class Model {
  readonly decided = new Set<string>();
  seenAt = new Map<string, number>();
  content: ProjectContent = { record: {}, tasks: new Map() };
  version = 0;
  changedAt: number | undefined;

  keyOf = (rule: AppliedRule, record: string, value: string) => `${rule.key}|${record}|${value}`;

  valuesOf(rules: readonly AppliedRule[], zone: string): Falling[] {
    const { record, tasks } = this.content;
    return rules.flatMap(rule => {
      if (rule.event === 'project.unchanged') {
        const at = this.changedAt as number;
        const later = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).add({ days: 1 });
        return [{ rule, record: '', value: new Date(at).toISOString(), at: later.epochMilliseconds }];
      }
      const records = rule.event.startsWith('task.') ? [...tasks] : [['', record] as const];
      return records.flatMap(([id, { date }]) => {
        const at = timeOf(rule, String(date ?? ''), zone);
        return at === undefined ? [] : [{ rule, record: id, value: String(date), at }];
      });
    });
  }

  forget(isForgotten: (rule: string, record: string) => boolean): void {
    for (const key of this.decided) {
      const [rule = '', record = ''] = key.split('|');
      if (isForgotten(rule, record)) this.decided.delete(key);
    }
  }
}

/** Walks the steps by the function and by the model, and compares them after each. */
function walk(start: number, steps: readonly Step[]): void {
  const model = new Model();
  let due: Due | undefined;
  let now = start;
  for (const { wait, edits, zone: place, mask, limit, seen } of steps) {
    now += wait;
    const timeZone = ZONES[place] as string;
    const chosen = RULES.filter((_, index) => (mask >> index) & 1).map(rule => resolveRule(rule, NO_FIELDS));
    model.seenAt = new Map(
      chosen.map(({ key }) => [key, model.seenAt.get(key) ?? Math.max(now - seen, model.version)]),
    );
    const rules = chosen.map(rule => applied(rule, model.seenAt.get(rule.key) as number, timeZone));
    const before = { content: model.content, due, version: model.version };
    // The model: rules that are new, what is over with the rules and records that are gone, what falls due.
    model.forget(key => !rules.some(rule => rule.key === key));
    if (!rules.some(({ event }) => event === 'project.unchanged')) model.changedAt = undefined;
    else model.changedAt ??= model.version || now;
    const isNew = ({ key }: AppliedRule) => !due?.rules.includes(key);
    const old = model.version === 0 ? [] : model.valuesOf(rules.filter(isNew), timeZone);
    for (const { rule, record, value, at } of old)
      if (at <= rule.begin) model.decided.add(model.keyOf(rule, record, value));
    const tasks = new Map(model.content.tasks);
    let { record } = model.content;
    for (const [id, date, open] of edits) {
      const fields: JsonObject = { date: date ?? '', open };
      if (id === '') record = fields;
      else if (date === undefined) tasks.delete(id);
      else tasks.set(id, fields);
    }
    model.content = { record, tasks };
    const isChanged = edits.length > 0;
    if (isChanged && model.changedAt !== undefined) model.changedAt = now;
    model.forget((_, id) => id !== '' && !tasks.has(id));
    const open = model
      .valuesOf(rules, timeZone)
      .filter(one => !model.decided.has(model.keyOf(one.rule, one.record, one.value)))
      .toSorted(
        (one, other) =>
          one.at - other.at ||
          one.record.localeCompare(other.record) ||
          (one.rule.key < other.rule.key ? -1 : 1),
      );
    const isWanted = ({ rule, record: id }: Falling) =>
      !rule.where || (id === '' ? record : tasks.get(id))?.open === true;
    const expected: Falling[] = [];
    for (const one of open.filter(({ at }) => at <= now)) {
      if (expected.length === limit) break;
      if (isWanted(one)) expected.push(one);
      model.decided.add(model.keyOf(one.rule, one.record, one.value));
    }
    const left = open.filter(one => !model.decided.has(model.keyOf(one.rule, one.record, one.value)));
    // The function, by what the last snapshot kept.
    const asked = { rules: { timeZone, rules }, at: now, isChanged, limit, isWanted };
    const result = fallDue(before.version === 0 ? undefined : before, model.content, asked);
    const shown = (all: readonly Falling[]) =>
      all.map(({ rule, record: id, value, at }) => [
        rule.event,
        rule.before,
        id,
        value,
        new Date(at).toJSON(),
      ]);
    expect(shown(result.falling)).toEqual(shown(expected));
    expect(result.due?.next).toBe(left[0] && Math.min(left[0].at, 9_999_999_999_999));
    due = JSON.parse(JSON.stringify(result.due ?? null)) ?? undefined;
    model.version = Math.max(model.version + 1, now);
  }
}

describe('what falls due', () => {
  it('is each value of a record once for each rule, in time, whatever is edited, configured and done to clocks', () => {
    const starts = fc.constantFrom(Date.UTC(2026, 2, 27, 20), Date.UTC(2026, 9, 23, 3));
    fc.assert(fc.property(starts, fc.array(step, { minLength: 1, maxLength: 12 }), walk), {
      numRuns: 1_500,
    });
  });
});
