import { Temporal } from 'temporal-polyfill';
import type { JsonObject } from '../../../functions/basics/json.ts';
import type { Due, DueRule } from '../../../functions/model/due.ts';
import type { ProjectContent } from '../../../functions/model/snapshot.ts';

/** A rule with its key, and the time up to which nothing that was due is emitted. */
export interface PlainRule extends DueRule {
  readonly key: string;
  readonly begin: number;
}

/** A value that falls due. */
export interface PlainValue {
  readonly rule: PlainRule;
  readonly record: string;
  readonly value: string;
  readonly at: number;
}

interface Commit {
  readonly content: ProjectContent;
  readonly rules: readonly PlainRule[];
  readonly timeZone: string;
  readonly at: number;
  readonly isChanged: boolean;
  readonly limit: number;
  /** Whether the records were there before, as in a baseline. */
  readonly wasThere?: boolean;
  /** When a record was last updated, as far as the service shows that. */
  readonly updated?: (record: JsonObject) => number;
  /** Whether a record meets a `where`. */
  readonly meets: (record: JsonObject) => boolean;
}

/** What should be emitted of one project, by a set of all values that were ever decided. */
export class PlainDue {
  readonly #decided = new Set<string>();
  #known = new Set<string>();
  #content: ProjectContent = { record: {}, tasks: new Map() };
  #changedAt: number | undefined;
  version = 0;

  /** @returns what is to be emitted, in order, and when the next value falls due */
  commit(commit: Commit): { expected: PlainValue[]; next: number | undefined } {
    const { content, rules, timeZone, at, isChanged, limit, wasThere = false, meets } = commit;
    const keys = new Set(rules.map(({ key }) => key));
    this.#forget(key => !keys.has(key));
    const hasSilence = rules.some(({ event }) => event === 'project.unchanged');
    if (wasThere) this.#content = content;
    const isKnown = wasThere || this.version > 0;
    const updated = isKnown ? commit.updated : undefined;
    const times = updated && [this.record, ...this.tasks.values()].map(updated);
    const changedAt = this.#changedAt ?? (times ? Math.min(Math.max(...times), at) : this.version || at);
    this.#changedAt = hasSilence ? changedAt : undefined;
    if (isKnown)
      this.#decideUpToBegin(
        rules.filter(({ key }) => !this.#known.has(key)),
        timeZone,
      );
    this.#content = content;
    if (isChanged && hasSilence) this.#changedAt = at;
    this.#forget((_, record) => record !== '' && !content.tasks.has(record));
    const open = this.open(rules, timeZone);
    const expected: PlainValue[] = [];
    for (const one of open.filter(value => value.at <= at)) {
      if (expected.length === limit) break;
      const fields = one.record === '' ? this.record : this.tasks.get(one.record);
      if (!one.rule.where || meets(fields ?? {})) expected.push(one);
      this.#decided.add(keyOf(one));
    }
    this.#known = keys;
    this.version = Math.max(this.version + 1, at);
    return { expected, next: open.find(one => !this.#decided.has(keyOf(one)))?.at };
  }

  /** The values that are not decided, the earliest first. */
  open(rules: readonly PlainRule[], timeZone: string): PlainValue[] {
    return this.#values(rules, timeZone)
      .filter(one => !this.#decided.has(keyOf(one)))
      .sort(inTime);
  }

  /** Takes what a restored table has. */
  restore(content: ProjectContent, version: number, due: Due | undefined, rules: readonly PlainRule[]): void {
    this.#content = content;
    this.#changedAt = due?.changedAt;
    this.#known = new Set(due?.rules);
    this.version = version;
    const except = new Set((due?.except ?? []).map(exception => exception.join('|')));
    const values = due ? this.#values(rules, due.timeZone) : [];
    for (const one of values)
      if (one.at <= (due?.until ?? 0) !== except.has(keyOf(one))) this.#decided.add(keyOf(one));
    const current = new Set(values.map(keyOf));
    for (const key of except) if (!current.has(key)) this.#decided.add(key);
  }

  get tasks(): ProjectContent['tasks'] {
    return this.#content.tasks;
  }

  get record(): ProjectContent['record'] {
    return this.#content.record;
  }

  #decideUpToBegin(rules: readonly PlainRule[], timeZone: string): void {
    for (const one of this.#values(rules, timeZone))
      if (one.at <= one.rule.begin) this.#decided.add(keyOf(one));
  }

  #values(rules: readonly PlainRule[], zone: string): PlainValue[] {
    return rules.flatMap(rule => {
      if (rule.event === 'project.unchanged') {
        const since = this.#changedAt as number;
        const at = moved(Temporal.Instant.fromEpochMilliseconds(since), zone, rule.after, 1);
        return [{ rule, record: '', value: new Date(since).toISOString(), at }];
      }
      const records = rule.event.startsWith('task.') ? [...this.tasks] : [['', this.record] as const];
      return records.flatMap(([record, fields]) => {
        const value = String(fields[rule.field as string] ?? '');
        const at = timeOf(rule, value, zone);
        return at === undefined ? [] : [{ rule, record, value, at }];
      });
    });
  }

  #forget(isForgotten: (rule: string, record: string) => boolean): void {
    for (const key of this.#decided) {
      const [rule = '', record = ''] = key.split('|');
      if (isForgotten(rule, record)) this.#decided.delete(key);
    }
  }
}

function keyOf({ rule, record, value }: PlainValue): string {
  return `${rule.key}|${record}|${value}`;
}

function inTime(one: PlainValue, other: PlainValue): number {
  return one.at - other.at || order(one.record, other.record) || order(one.rule.key, other.rule.key);
}

function order(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** When a value falls due: written down a second time, by other means. */
function timeOf({ event, before }: DueRule, value: string, zone: string): number | undefined {
  if (!isOfCalendar(value.slice(0, 10))) return undefined;
  const isDay = value.length === 10;
  const at = isDay
    ? Temporal.ZonedDateTime.from(`${value}T00:00[${zone}]`)
    : Temporal.Instant.from(value).toZonedDateTimeISO(zone);
  if (event.endsWith('.overdue')) return (isDay ? at.add({ days: 1 }) : at).epochMilliseconds;
  return moved(at.toInstant(), zone, before, -1);
}

function isOfCalendar(day: string): boolean {
  try {
    return Temporal.PlainDate.from(day).toString() === day;
  } catch {
    return false;
  }
}

function moved(at: Temporal.Instant, zone: string, span = '0d', sign: 1 | -1): number {
  const count = sign * Number(span.slice(0, -1));
  const unit = { d: 'days', h: 'hours', m: 'minutes' }[span.slice(-1)] as string;
  return at.toZonedDateTimeISO(zone).add({ [unit]: count }).epochMilliseconds;
}
