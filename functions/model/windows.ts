import { MAX_SKEW_MS } from '../basics/clock.ts';
import { milliseconds } from '../basics/duration.ts';
import { addDays, dayIn, isTimeZone, timeIn, weekdayOf } from '../basics/time-zone.ts';

/** When the changes that a chat gathers are sent. Without one of these settings, they are sent at once. */
export interface WindowSettings {
  readonly window?: string | undefined;
  readonly digest?: string | undefined;
  readonly quiet?: string | undefined;
}

/** Of a chat that gathers changes. `since`: when gathered changes were last sent. `holds`: some may wait, the first of
 *  which came at `from`. */
export interface WindowState {
  readonly since?: number | undefined;
  readonly holds?: true;
  readonly from?: number | undefined;
}

const DAY_NAMES = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const WEEK = 7;

const [MIN_WINDOW_MS, MAX_WINDOW_MS] = [60_000, 24 * 3_600_000];

export function isWindow(text: string): boolean {
  const ms = milliseconds(text) ?? 0;
  return ms >= MIN_WINDOW_MS && ms <= MAX_WINDOW_MS;
}

export function isDigest(text: string): boolean {
  return digestIn(text) !== undefined;
}

export function isQuiet(text: string): boolean {
  return quietIn(text) !== undefined;
}

/** Whether changes are gathered. */
export function hasWindow({ window, digest, quiet }: WindowSettings): boolean {
  return (window ?? digest ?? quiet) !== undefined;
}

/** Whether an event is sent at once, whatever is gathered: it is about a problem, or a test. */
export function isUrgent({ type }: { readonly type: string }): boolean {
  return /^(?:source|endpoint|delivery|changewire)\./.test(type);
}

/** From when gathered changes may be sent, in ms since 1970: `now` or later. A digest has what came before its time. */
export function sendsFrom(
  { window, digest, quiet }: WindowSettings,
  { since, from }: WindowState = {},
  now: number,
): number {
  const began = sinceOf(since, now);
  if (digest !== undefined) {
    const after = Math.max(began ?? 0, sinceOf(from, now) ?? 0) || now;
    return Math.max(now, nextDigest(digest, after));
  }
  const ends = window === undefined || began === undefined ? now : began + (milliseconds(window) ?? 0);
  return quiet === undefined ? Math.max(now, ends) : afterQuiet(quiet, Math.max(now, ends));
}

/** Once some more changes wait. */
export function gathering(
  settings: WindowSettings,
  window: WindowState | undefined,
  now: number,
): WindowState | undefined {
  if (!hasWindow(settings)) return undefined;
  const since = sinceOf(window?.since, now);
  // Rows of earlier versions have no `from`; without it and `since`, no digest would ever be due.
  const from = (window?.holds ? (sinceOf(window.from, now) ?? since) : undefined) ?? now;
  return { ...(since !== undefined && { since }), holds: true, from };
}

/** The same once the backlog was read. `hasLater`: changes wait in it. */
export function gathered(
  settings: WindowSettings,
  window: WindowState | undefined,
  now: number,
  hasLater: boolean,
): WindowState | undefined {
  if (hasLater) return gathering(settings, window, now);
  return hasWindow(settings) && window?.since !== undefined ? { since: window.since } : undefined;
}

/** A time that is far ahead was written by a clock that was ahead, and is ignored. */
function sinceOf(since: number | undefined, now: number): number | undefined {
  return since === undefined || since > now + MAX_SKEW_MS ? undefined : Math.min(since, now);
}

/** Days of the week, from 1 for Monday, as `mon-fri,sun`; all without a text. Undefined for any other text. */
function daysIn(text: string | undefined): ReadonlySet<number> | undefined {
  const days = new Set<number>();
  for (const part of text?.split(',') ?? ['mon-sun']) {
    const [first = '', last = first, more] = part.split('-');
    const [from, to] = [DAY_NAMES.indexOf(first), DAY_NAMES.indexOf(last)];
    if (from < 0 || to < 0 || more !== undefined) return undefined;
    for (let day = from; ; day = (day + 1) % WEEK) {
      days.add(day + 1);
      if (day === to) break;
    }
  }
  return days;
}

const TIME = '(?:[01]\\d|2[0-3]):[0-5]\\d';
const DIGEST = new RegExp(`^(?:(\\S+) )?(${TIME}) (\\S+)$`);
const QUIET = new RegExp(`^(?:(\\S+) )?(${TIME})-(${TIME}|24:00) (\\S+)$`);

interface Digest {
  readonly days: ReadonlySet<number>;
  readonly time: string;
  readonly zone: string;
}

function digestIn(text: string): Digest | undefined {
  const [, names, time, zone = ''] = DIGEST.exec(text) ?? [];
  const days = daysIn(names);
  return time !== undefined && days && isTimeZone(zone) ? { days, time, zone } : undefined;
}

/** The first time of a digest after `after`. */
function nextDigest(text: string, after: number): number {
  const { days, time, zone } = digestIn(text) as Digest;
  // A time that a clock change moves may be in the day after.
  let day = addDays(dayIn(zone, after), -1);
  while (!days.has(weekdayOf(day)) || timeIn(zone, day, time) <= after) day = addDays(day, 1);
  return timeIn(zone, day, time);
}

interface Quiet extends Omit<Digest, 'time'> {
  readonly begin: string;
  readonly end: string;
}

function quietIn(text: string): Quiet | undefined {
  const [, names, begin, end, zone = ''] = QUIET.exec(text) ?? [];
  const days = daysIn(names);
  if (begin === undefined || end === undefined || begin === end || !days || !isTimeZone(zone))
    return undefined;
  // They would never end.
  if (days.size === WEEK && begin === '00:00' && end === '24:00') return undefined;
  return { days, begin, end, zone };
}

/** `at`, or the end of the quiet hours that it is in. */
function afterQuiet(text: string, at: number): number {
  const { days, begin, end, zone } = quietIn(text) as Quiet;
  const isNight = end <= begin || end === '24:00';
  const endTime = end === '24:00' ? '00:00' : end;
  let opens = at;
  // From the day before, whose hours may end today. Those of days in a row may follow each other.
  const first = addDays(dayIn(zone, at), -1);
  for (let past = 0; past <= WEEK + 1; past += 1) {
    const day = addDays(first, past);
    if (!days.has(weekdayOf(day))) continue;
    const closes = timeIn(zone, day, begin);
    if (closes > opens) break;
    opens = Math.max(opens, timeIn(zone, isNight ? addDays(day, 1) : day, endTime));
  }
  return opens;
}
