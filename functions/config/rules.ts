import * as z from 'zod';
import { withheldProperties } from '../basics/property-names.ts';
import { isTimeZone } from '../basics/time-zone.ts';
import { DUE_TYPES, type DueRule } from '../model/due.ts';
import { isDay } from '../model/filter-value.ts';
import { asksOfChange, filterValue, whereConditions } from './filter.ts';
import { choice, key, list, object, text } from './values.ts';

export const timeZone = () => {
  const error = 'the name of a time zone, such as "Europe/Berlin"';
  return z.string({ error }).refine(isTimeZone, { error });
};

const span = () =>
  text(/^\d{1,4}[mhd]$/, 'a duration such as "2d", "4h" or "30m": a whole number with d, h or m');

const sinceError = { error: 'a day of the calendar, such as "2026-05-01"' };

/** Each kind of rule needs a date, or a silence. */
function problemOf({ event, field, before, after }: DueRule): { path: string; error: string } | undefined {
  const isOfSilence = event.endsWith('.unchanged');
  if (isOfSilence && after === undefined)
    return { path: 'after', error: `a duration such as "14d", which "${event}" needs` };
  if (isOfSilence && field !== undefined)
    return { path: 'field', error: `no field with "${event}", which needs no date` };
  if (!isOfSilence && after !== undefined)
    return { path: 'after', error: `nothing with "${event}"; "after" is for "project.unchanged"` };
  if (!isOfSilence && field === undefined)
    return { path: 'field', error: `the field with the date, which "${event}" needs` };
  if (before !== undefined && !event.endsWith('.due'))
    return { path: 'before', error: `nothing with "${event}"; "before" is for "task.due" and "project.due"` };
  return undefined;
}

const rule = object({
  event: key(choice(DUE_TYPES), 'The [event](rules.md) to emit.'),
  field: key(
    filterValue().optional(),
    'The field with the date: its property, or its displayed name. Required but for `project.unchanged`.',
    'none',
  ),
  before: key(span().optional(), 'How long before the date, with `task.due` and `project.due`.', '`0d`'),
  after: key(span().optional(), 'How long after the last change, with `project.unchanged`.', 'none'),
  where: key(
    whereConditions().refine(groups => groups === undefined || !groups.some(asksOfChange), {
      error: 'conditions without "became" and "moved": nothing changes when a date falls due',
    }),
    'The [conditions](filters.md) that the record must meet when its time comes.',
    'any record',
  ),
  since: key(
    z.string(sinceError).refine(isDay, sinceError).optional(),
    'Also emits what fell due since this day, before the rule existed.',
    'nothing from before',
  ),
} satisfies Record<keyof DueRule, z.ZodType>).check(({ value, issues }) => {
  const problem = problemOf(value);
  if (problem)
    issues.push({
      ...{ code: 'custom', input: value, path: [problem.path], message: problem.error },
    });
});

export const rules = () => list(rule, 1, 'rules');

/** Whether a rule asks for a field that passes drop. */
export function namesWithheld(rules: readonly DueRule[], withhold: readonly string[]): boolean {
  const withheld = withheldProperties(withhold);
  return rules.some(({ field, where = [] }) =>
    [field, ...where.flatMap(group => Object.keys(group).map(name => name.replace(/^project\./, '')))].some(
      name => name !== undefined && withheld.has(name),
    ),
  );
}
