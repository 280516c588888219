import { InvalidArgumentError } from 'commander';
import { perSecond } from '../../functions/config/endpoint.ts';
import { EVENT_TYPES } from '../../functions/config/filter.ts';
import { hint } from '../../functions/config/problems.ts';
import { isDay } from '../../functions/model/filter-value.ts';
import { parseDuration } from '../../local/basics/duration.ts';

const DAY = 86_400_000;

/** Parses a time, or an age ("2h"), as ISO 8601. A date or a time without a zone is local.
 *  @throws InvalidArgumentError */
export function timeOf(now: () => number): (text: string) => string {
  return text => {
    const [, days] = /^(\d{1,4})d$/.exec(text) ?? [];
    const ago = days === undefined ? parseDuration(text) : Number(days) * DAY;
    const at = ago === undefined ? readTime(text) : now() - ago;
    if (Number.isFinite(at) && Math.abs(at) < 8e15) return new Date(at).toISOString();
    throw new InvalidArgumentError(
      'Expected a time such as 2026-11-21T09:00Z, a date, or an age: 30m, 2h, 3d.',
    );
  };
}

const TIME = /^(?<day>\d{4}-\d\d-\d\d)([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/i;

/** The time in ms since 1970 of a date or time, local without a zone; NaN for other texts, and for a day that the
 *  calendar does not have, which `Date.parse` moves on. */
export function readTime(text: string): number {
  const { day } = TIME.exec(text)?.groups ?? {};
  // `Date.parse` takes much else for a time: 5 for May, 05.11. for the 11th of May.
  if (day === undefined || !isDay(day)) return Number.NaN;
  return Date.parse(day === text ? `${text}T00:00` : text);
}

/** Comma-separated values; the option may be repeated. */
export function listOf(text: string, before: readonly string[] = []): string[] {
  const values = text.split(',').map(value => value.trim());
  if (values.includes('')) throw new InvalidArgumentError('Expected comma-separated values.');
  return [...before, ...values];
}

/** Comma-separated event types. */
export function typesOf(text: string, before?: readonly string[]): string[] {
  const types = listOf(text, before);
  const wrong = types.find(type => !(EVENT_TYPES as readonly string[]).includes(type));
  if (wrong === undefined) return types;
  throw new InvalidArgumentError(`Valid event types: ${EVENT_TYPES.join(', ')}${hint(wrong, EVENT_TYPES)}`);
}

/** Parses a maximum number; `all` is Infinity. */
export function limitOf(text: string): number {
  if (text === 'all') return Number.POSITIVE_INFINITY;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected a number from 1, or "all".');
}

/** Parses requests per second, like `perSecond` in the configuration. */
export function rateOf(text: string): number {
  const { data, error } = perSecond().safeParse(wholeOf(text));
  if (error === undefined) return data;
  throw new InvalidArgumentError(`Expected ${error.issues[0]?.message} (requests per second).`);
}

/** Parses a whole number in a range. */
export function wholeIn([least, most]: readonly [number, number]): (text: string) => number {
  return text => {
    const value = wholeOf(text);
    if (value !== undefined && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`);
  };
}

function wholeOf(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** Collects the values of an option that may be repeated. */
export function each(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}
