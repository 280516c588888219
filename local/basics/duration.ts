import type { Rhythm } from '../../functions/schedule/scheduled.ts';

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;
/** The longest time of a Node timer, in ms. */
const MAX_LENGTH = 2 ** 31 - 1;

/** Reads "500ms", "60s", "5m" or "6h" as milliseconds; undefined for other texts, for zero, and above 24 days. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text);
  if (match === null) return undefined;
  const ms = Math.round(Number(match[1]) * UNITS[match[2] as keyof typeof UNITS]);
  return ms > 0 && ms <= MAX_LENGTH ? ms : undefined;
}

/** Reads "60s", or "10s-5m" as from 10 s to 5 min; undefined for other texts, and if the first is longer. */
export function parseRhythm(text: string): Rhythm | undefined {
  const [first = '', last = first, ...more] = text.split('-');
  const [fastest, slowest] = [parseDuration(first), parseDuration(last)];
  if (fastest === undefined || slowest === undefined || more.length > 0) return undefined;
  return fastest <= slowest ? { fastest, slowest } : undefined;
}

/** "2 s", "5 min": a duration for people, in the largest unit that needs no fraction. */
export function showDuration(ms: number): string {
  for (const [unit, size] of [['h', UNITS.h] as const, ['min', UNITS.m] as const, ['s', UNITS.s] as const])
    if (ms % size === 0) return `${ms / size} ${unit}`;
  return `${ms} ms`;
}

/** "40 s", "12 min", "3 h", "2 d": an approximate duration, for people. */
export function showAbout(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 2 * UNITS.m) return `${Math.round(ms / UNITS.s)} s`;
  if (ms < 2 * UNITS.h) return `${Math.round(ms / UNITS.m)} min`;
  return ms < 48 * UNITS.h ? `${Math.round(ms / UNITS.h)} h` : `${Math.round(ms / UNITS.h / 24)} d`;
}
