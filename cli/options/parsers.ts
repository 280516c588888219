import { InvalidArgumentError } from 'commander';
import { perSecond } from '../../functions/config/endpoint.ts';
import { EVENT_TYPES } from '../../functions/config/filter.ts';
import { hint } from '../../functions/config/problems.ts';
import { parseDuration } from '../../local/basics/duration.ts';

const DAY = 86_400_000;

/** Reads a time, or how long ago it was ("2h"), as ISO 8601. A date, and a time without a zone, are taken
 *  as local time.
 *  @throws InvalidArgumentError */
export function timeOf(now: () => number): (text: string) => string {
  return text => {
    const [, days] = /^(\d{1,4})d$/.exec(text) ?? [];
    const ago = days === undefined ? parseDuration(text) : Number(days) * DAY;
    const isDate = /^\d{4}-\d\d-\d\d$/.test(text);
    const at = ago === undefined ? Date.parse(isDate ? `${text}T00:00` : text) : now() - ago;
    if (Number.isFinite(at) && Math.abs(at) < 8e15) return new Date(at).toISOString();
    throw new InvalidArgumentError(
      'It takes a time such as 2026-11-21T09:00Z, a date, or how long ago: 30m, 2h, 3d.',
    );
  };
}

/** Values with commas between; the option may be repeated. */
export function listOf(text: string, before: readonly string[] = []): string[] {
  const values = text.split(',').map(value => value.trim());
  if (values.includes('')) throw new InvalidArgumentError('It takes values with commas between.');
  return [...before, ...values];
}

/** Event types, with commas between. */
export function typesOf(text: string, before?: readonly string[]): string[] {
  const types = listOf(text, before);
  const wrong = types.find(type => !(EVENT_TYPES as readonly string[]).includes(type));
  if (wrong === undefined) return types;
  throw new InvalidArgumentError(`Event types are ${EVENT_TYPES.join(', ')}${hint(wrong, EVENT_TYPES)}`);
}

/** Reads how many; `all` is Infinity. */
export function limitOf(text: string): number {
  if (text === 'all') return Number.POSITIVE_INFINITY;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It takes a number from 1, or all.');
}

/** Reads requests a second, as `perSecond` of the configuration. */
export function rateOf(text: string): number {
  const { data, error } = perSecond().safeParse(/^\d+$/.test(text) ? Number(text) : undefined);
  if (error === undefined) return data;
  throw new InvalidArgumentError(`It takes ${error.issues[0]?.message}: requests a second.`);
}

/** Collects the values of an option that may be repeated. */
export function each(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}
