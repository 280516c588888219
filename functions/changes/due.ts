import { isEmpty } from '../basics/empty.ts';
import type { Json, JsonObject } from '../basics/json.ts';
import { byText } from '../basics/order.ts';
import { addDays, daysAfter, timeIn } from '../basics/time-zone.ts';
import type { Due, DueRule, Exception } from '../model/due.ts';
import { DATES, textsOf } from '../model/filter-value.ts';
import type { ProjectContent, Snapshot } from '../model/snapshot.ts';
import type { Rules } from './compare-project.ts';
import { updateTime } from './ignored-fields.ts';

/** A rule with what it takes to apply it. */
interface AppliedRule extends DueRule {
  /** Differs for another content of the rule, for other properties that have its field's name, and for another time at
   *  which it was seen: then it is another rule. */
  readonly key: string;
  /** The properties of the records that may have the date, the first that has a value counts. */
  readonly properties: readonly string[];
  /** When passes first saw it, by our clock. */
  readonly seenAt: number;
  /** What was due up to this time is not emitted. */
  readonly begin: number;
}

/** The rules of a process, by its definitions. */
export interface DueRules {
  readonly timeZone: string;
  readonly rules: readonly AppliedRule[];
}

/** A rule by the definitions of its process. */
type ResolvedRule = Omit<AppliedRule, 'seenAt' | 'begin'>;

/** The properties that may have the date of a rule: its field, or fields that people see by this name. Snapshots keep a
 *  date of an archived one, which people no longer see: it is not `inUse` while another field has that name. */
export function propertiesOf(
  { event, field }: DueRule,
  { projectFields, taskFields }: Rules,
): { readonly all: string[]; readonly inUse: string[] } {
  if (field === undefined) return { all: [], inUse: [] };
  const fields = event.startsWith('task.') ? taskFields : projectFields;
  const called = [...fields].flatMap(([property, { name }]) => (name === field ? [property] : []));
  const all = [...new Set([field, ...called.toSorted(byText)])];
  const isReplaced = (property: string) => called.includes(property) && fields.get(property)?.isReplaced;
  return { all, inUse: all.filter(property => !isReplaced(property)) };
}

/** A rule since it was seen. One that was removed and comes back is another one. */
export function applied(rule: ResolvedRule, seenAt: number, timeZone: string): AppliedRule {
  const { key, since } = rule;
  const begin = since === undefined ? seenAt : Math.min(seenAt, timeIn(timeZone, since) - 1);
  return { ...rule, key: `${key}-${seenAt}`, seenAt, begin };
}

/** A value of a record that falls due. */
export interface Falling {
  readonly rule: AppliedRule;
  /** The task's id; empty for the project. */
  readonly record: string;
  readonly value: string;
  /** In ms since 1970. */
  readonly at: number;
}

type Before = Pick<Snapshot, 'content' | 'due' | 'version'>;

interface Now {
  readonly rules: DueRules;
  /** By our clock, in ms since 1970. */
  readonly at: number;
  /** Whether a record changes in this commit. */
  readonly isChanged: boolean;
  /** The maximum number of events; the other values stay undecided, and are the next to fall due. */
  readonly limit: number;
  /** Whether an event is emitted of a value that fell due; if not, it is decided without one. */
  readonly isWanted: (falling: Falling) => boolean;
  /** Called for a value that is not a date. */
  readonly onOther?: ((rule: AppliedRule) => void) | undefined;
}

/** What falls due at the commit of a content, in order of time, and what its snapshot keeps of that: undefined if no
 *  rule applies to it. Each value of a record is decided once for each rule, however many commits there are: at its
 *  time, or, if it appears later than that, when it appears.
 *  @param before the last snapshot; undefined for a new project */
export function fallDue(
  before: Before | undefined,
  content: ProjectContent,
  { rules: { rules, timeZone }, at, isChanged, limit, isWanted, onOther }: Now,
): { readonly falling: readonly Falling[]; readonly due: Due | undefined } {
  const decided = before ? decidedIn(before, { rules, timeZone }, at) : new Set<string>();
  const hasSilence = rules.some(isOfSilence);
  const last = () => lastChange(before ?? { content, due: undefined, version: at }, at);
  const changedAt = !hasSilence ? undefined : isChanged ? at : last();
  const values = valuesOf(content, { rules, timeZone, changedAt, onOther });
  const falling: Falling[] = [];
  const open = values.filter(value => !decided.has(keyOf(value))).toSorted(inTime);
  let next: number | undefined;
  for (const value of open) {
    const isLate = value.at <= at && falling.length < limit;
    if (!isLate) {
      next ??= value.at;
      continue;
    }
    if (isWanted(value)) falling.push(value);
    decided.add(keyOf(value));
  }
  const except = exceptionsIn(decided, values, content, { rules, at });
  if (values.length + except.length === 0) return { falling, due: undefined };
  const due = {
    rules: rules.map(({ key }) => key),
    ...{ timeZone, until: at },
    ...(next !== undefined && { next: Math.min(Math.max(next, 0), LAST_TIME) }),
    ...(hasSilence && { changedAt }),
    ...(except.length > 0 && { except }),
  };
  return { falling, due };
}

/** The last time in ms that has 13 digits, as keys of rows need. */
const LAST_TIME = 9_999_999_999_999;

/** The maximum number of values of a project that are remembered as decided though no record has them any more. */
const MAX_FORMER = 1_000;

function isOfSilence({ event }: DueRule): boolean {
  return event === 'project.unchanged';
}

function keyOf({ rule, record, value }: Pick<Falling, 'rule' | 'record' | 'value'>): string {
  return exceptionKey([rule.key, record, value]);
}

function exceptionKey(exception: Exception): string {
  return JSON.stringify(exception);
}

function inTime(one: Falling, other: Falling): number {
  return one.at - other.at || byText(one.record, other.record) || byText(one.rule.key, other.rule.key);
}

/** The values that were decided by the last snapshot, former ones included. */
function decidedIn(before: Before, { rules, timeZone }: DueRules, at: number): Set<string> {
  const { content, due, version } = before;
  const changedAt = rules.some(isOfSilence) ? lastChange(before, at) : undefined;
  const known = new Set(due?.rules);
  const upTo = (rule: AppliedRule) => {
    if (due && known.has(rule.key)) return due.until;
    // An earlier version of Changewire, which knows no rules, wrote the snapshot since: what fell due until then may
    // have been emitted.
    return !due && version > rule.seenAt ? version : rule.begin;
  };
  const exceptions = new Set(due?.except?.map(exceptionKey));
  const isKnown = ({ key }: AppliedRule) => known.has(key);
  const values = [
    ...valuesOf(content, {
      rules: rules.filter(isKnown),
      timeZone: due?.timeZone ?? timeZone,
      changedAt,
    }),
    ...valuesOf(content, { rules: rules.filter(rule => !isKnown(rule)), timeZone, changedAt }),
  ];
  for (const value of values) {
    const key = keyOf(value);
    // The others are former values: an exception of these states that they were decided.
    if (value.at <= upTo(value.rule) !== exceptions.has(key)) exceptions.add(key);
    else exceptions.delete(key);
  }
  return exceptions;
}

/** Where the time alone does not show what is decided: of the values that records have, and of former ones. */
function exceptionsIn(
  decided: ReadonlySet<string>,
  values: readonly Falling[],
  { tasks }: ProjectContent,
  { rules, at }: { readonly rules: readonly AppliedRule[]; readonly at: number },
): Exception[] {
  const current = new Map(values.map(value => [keyOf(value), value]));
  const untimely = values.filter(value => value.at <= at !== decided.has(keyOf(value)));
  const lasting = new Set(rules.flatMap(rule => (isOfSilence(rule) ? [] : rule.key)));
  const former = [...decided]
    .filter(key => !current.has(key))
    .map(key => JSON.parse(key) as Exception)
    .filter(([rule, record]) => lasting.has(rule) && (record === '' || tasks.has(record)));
  return [
    ...former.slice(-MAX_FORMER),
    ...untimely.map(({ rule, record, value }) => [rule.key, record, value] as const),
  ];
}

/** Every value of a content that falls due at some time. */
function valuesOf(
  { record, tasks }: ProjectContent,
  {
    rules,
    timeZone,
    changedAt,
    onOther,
  }: DueRules & Pick<Now, 'onOther'> & { readonly changedAt: number | undefined },
): Falling[] {
  return rules.flatMap(rule => {
    if (isOfSilence(rule)) {
      if (changedAt === undefined) return [];
      const at = spanAfter(timeZone, changedAt, spanOf(rule.after));
      return [{ rule, record: '', value: new Date(changedAt).toISOString(), at }];
    }
    const timeOf = remembering((value: string) => dueTime(rule, value, timeZone));
    const records: Iterable<readonly [string, JsonObject]> = rule.event.startsWith('task.')
      ? tasks
      : [['', record]];
    return [...records].flatMap(([id, fields]) => {
      const value = textOf(fields, rule.properties);
      if (value === undefined) return [];
      const at = timeOf(value);
      if (at === undefined) onOther?.(rule);
      return at === undefined ? [] : [{ rule, record: id, value, at }];
    });
  });
}

function textOf(record: JsonObject, properties: readonly string[]): string | undefined {
  const own = (name: string): Json | undefined => (Object.hasOwn(record, name) ? record[name] : undefined);
  const value = properties.map(own).find(one => !isEmpty(one));
  return isEmpty(value) ? undefined : (textsOf(value)[0] ?? '').slice(0, MAX_VALUE);
}

/** Longer texts are no dates. */
const MAX_VALUE = 64;

function remembering<Result>(compute: (text: string) => Result): (text: string) => Result {
  const known = new Map<string, Result>();
  return text => {
    if (!known.has(text)) known.set(text, compute(text));
    return known.get(text) as Result;
  };
}

/** A span: calendar days, or ms. */
type Span = { readonly days: number } | { readonly ms: number };
const UNITS = { h: 3_600_000, m: 60_000 } as const;

function spanOf(text = '0d'): Span {
  const count = Number(text.slice(0, -1));
  const unit = text.at(-1) as 'd' | keyof typeof UNITS;
  return unit === 'd' ? { days: count } : { ms: count * UNITS[unit] };
}

function spanAfter(timeZone: string, at: number, span: Span, sign = 1): number {
  return 'days' in span ? daysAfter(timeZone, at, sign * span.days) : at + sign * span.ms;
}

/** When a value falls due: a day at its beginning, less the span; overdue, when it is over. A time is one moment.
 *  Undefined for a value that is not a date. */
function dueTime({ event, before }: DueRule, value: string, timeZone: string): number | undefined {
  const moment = DATES.read(value);
  if (!moment) return undefined;
  const { day, ms } = moment;
  if (ms !== undefined) return event.endsWith('.overdue') ? ms : spanAfter(timeZone, ms, spanOf(before), -1);
  if (event.endsWith('.overdue')) return timeIn(timeZone, addDays(day, 1));
  const span = spanOf(before);
  return 'days' in span ? timeIn(timeZone, addDays(day, -span.days)) : timeIn(timeZone, day) - span.ms;
}

/** When a project or one of its tasks last changed: as its snapshot has it, else by their update times; without any,
 *  when the snapshot was written. */
function lastChange({ due, version, content: { record, tasks } }: Before, now: number): number {
  if (due?.changedAt !== undefined) return due.changedAt;
  const times = [record, ...tasks.values()].flatMap(one => updateTime(one) ?? []);
  if (times.length === 0) return version || now;
  // Math.max(...times) overflows the stack above some 120,000 records.
  const last = times.reduce((one, other) => Math.max(one, other));
  return Math.min(last, now);
}
