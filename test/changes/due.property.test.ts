import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../functions/basics/json.ts';
import { rulesOf } from '../../functions/changes/compare-project.ts';
import { applied, type Falling, fallDue } from '../../functions/changes/due.ts';
import type { Due, DueRule } from '../../functions/model/due.ts';
import type { ProjectContent } from '../../functions/model/snapshot.ts';
import { resolveRule } from '../../functions/pass/due.ts';
import { PlainDue, type PlainValue } from '../kit/changes/plain-due.ts';

const HOUR = 3_600_000;
const NO_FIELDS = rulesOf({ project: [], task: [] }, new Set());
const RULES: readonly DueRule[] = [
  { event: 'task.due', field: 'date', before: '2d' },
  { event: 'task.due', field: 'date', before: '15h' },
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
  ...['', 'soon', '2026-02-30', '2026-02-30T10:00:00Z'],
];
/** Days and times, of which the calendar lacks some. */
const ANY_DAY = fc
  .tuple(fc.integer({ min: 0, max: 13 }), fc.integer({ min: 0, max: 32 }), fc.constantFrom('', 'T07:30:00Z'))
  .map(([month, day, time]) => `2026-${two(month)}-${two(day)}${time}`);
const two = (part: number) => String(part).padStart(2, '0');

interface Step {
  readonly wait: number;
  /** `updated`: how long after the commit the record says that it was updated, in ms, unless it does not say it. */
  readonly edits: readonly (readonly [
    record: string,
    value: string | undefined,
    open: boolean,
    updated: number | undefined,
  ])[];
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
      fc.option(fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...VALUES) }, ANY_DAY), {
        nil: undefined,
        freq: 5,
      }),
      fc.boolean(),
      fc.constantFrom(undefined, -HOUR, -30 * HOUR, HOUR),
    ),
    { maxLength: 2 },
  ),
  zone: fc.constantFrom(0, 1, 1, 1, 2, 3),
  mask: fc.constantFrom(63, 63, 63, 1, 5, 62, 0, 32),
  limit: fc.constantFrom(100, 100, 1, 0),
  seen: fc.constantFrom(0, 60_000),
});

/** The content after some edits: one of a project or task, or a deletion of a task. */
function edited({ record, tasks }: ProjectContent, edits: Step['edits'], now: number): ProjectContent {
  const after = { record, tasks: new Map(tasks) };
  for (const [id, date, open, updated] of edits) {
    const updatedAt = updated === undefined ? {} : { updatedAt: new Date(now + updated).toJSON() };
    const fields: JsonObject = { date: date ?? '', open, ...updatedAt };
    if (id === '') after.record = fields;
    else if (date === undefined) after.tasks.delete(id);
    else after.tasks.set(id, fields);
  }
  return after;
}

const shown = (all: readonly PlainValue[]) =>
  all.map(({ rule, record, value, at }) => [rule.event, rule.before, record, value, new Date(at).toJSON()]);

/** Walks the steps by the function and by the model, and compares them after each. */
function walk(start: number, steps: readonly Step[]): void {
  const model = new PlainDue();
  let seenAt = new Map<string, number>();
  let due: Due | undefined;
  let now = start;
  for (const { wait, edits, zone, mask, limit, seen } of steps) {
    now += wait;
    const timeZone = ZONES[zone] as string;
    const chosen = RULES.filter((_, index) => (mask >> index) & 1).map(rule => resolveRule(rule, NO_FIELDS));
    seenAt = new Map(chosen.map(({ key }) => [key, seenAt.get(key) ?? Math.max(now - seen, model.version)]));
    const rules = chosen.map(rule => applied(rule, seenAt.get(rule.key) as number, timeZone));
    const { version } = model;
    const before = { content: { record: model.record, tasks: model.tasks }, due, version };
    const content = edited(before.content, edits, now);
    const says = [model.record, ...model.tasks.values()].some(({ updatedAt }) => updatedAt !== undefined);
    const updated = ({ updatedAt = 0 }: JsonObject) => new Date(updatedAt as string | 0).getTime();
    const commit = { at: now, isChanged: edits.length > 0, limit };
    const meets = ({ open }: JsonObject) => open === true;
    const { expected, next } = model.commit({
      ...commit,
      ...{ content, rules, timeZone, meets, ...(says && { updated }) },
    });
    // The function, by what the last snapshot kept.
    const isWanted = ({ rule, record }: Falling) =>
      !rule.where || (record === '' ? content.record : content.tasks.get(record))?.open === true;
    const result = fallDue(version === 0 ? undefined : before, content, {
      ...{ ...commit, rules: { timeZone, rules }, isWanted },
    });
    expect(shown(result.falling)).toEqual(shown(expected));
    expect(result.due?.next).toBe(next && Math.min(next, 9_999_999_999_999));
    due = JSON.parse(JSON.stringify(result.due ?? null)) ?? undefined;
  }
}

it('what falls due is each value of a record once for each rule, in time, whatever is edited, configured and done to clocks', () => {
  const starts = fc.constantFrom(Date.UTC(2026, 2, 27, 20), Date.UTC(2026, 9, 23, 3));
  fc.assert(fc.property(starts, fc.array(step, { minLength: 1, maxLength: 12 }), walk), {
    numRuns: 600,
  });
});

it.each(['task.overdue', 'project.due'])('%s remembers the last 1,000 former values, no more', event => {
  const rules = RULES.filter(rule => rule.event === event && !rule.where).map(rule =>
    applied(resolveRule(rule, NO_FIELDS), 0, 'UTC'),
  );
  const content = (date: string) => ({ record: { date }, tasks: new Map([['a', { date }]]) });
  const [day, other, ...later] = Array.from({ length: 1_002 }, (_, day) =>
    new Date(Date.UTC(2020, 0, day)).toJSON().slice(0, 10),
  ) as [string, string, ...string[]];
  let before: { content: ProjectContent; due: Due | undefined; version: number } | undefined;
  const emitted = (date: string) => {
    const now = { at: Date.UTC(2026, 0, 1), isChanged: true, limit: 9, isWanted: () => true };
    const result = fallDue(before, content(date), { ...now, rules: { timeZone: 'UTC', rules } });
    before = { content: content(date), due: result.due, version: 1 };
    return result.falling.map(({ value }) => value);
  };
  for (const date of [day, other, ...later]) expect(emitted(date)).toEqual([date]);
  expect(emitted(other)).toEqual([]);
  expect(emitted(day)).toEqual([day]);
});

it('project.unchanged counts from the latest of 130,000 update times, which have fractions of a millisecond', () => {
  const rules = [applied(resolveRule(RULES.at(-1) as DueRule, NO_FIELDS), 0, 'UTC')];
  const tasks = new Map(
    Array.from({ length: 130_000 }, (_, id) => [`${id}`, { updatedAt: 1.76e9 + id + 2 ** -12 }]),
  );
  const now = { at: 1.77e12, isChanged: false, limit: 9, isWanted: () => true };
  const content = { record: {}, tasks };
  const { falling } = fallDue({ content, due: undefined, version: 1 }, content, {
    ...{ ...now, rules: { timeZone: 'UTC', rules } },
  });
  expect(falling).toMatchObject([{ at: 1.76e12 + 129_999 * 1_000 + 24 * HOUR }]);
});
