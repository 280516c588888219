const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A rounded duration: `40 s`, `12 min`, `3 h`, `2 d`. */
export function about(ms: number): string {
  if (ms < SECOND) return `${Math.round(ms)} ms`;
  if (ms < 2 * MINUTE) return `${Math.round(ms / SECOND)} s`;
  if (ms < 2 * HOUR) return `${Math.round(ms / MINUTE)} min`;
  return ms < 2 * DAY ? `${Math.round(ms / HOUR)} h` : `${Math.round(ms / DAY)} d`;
}

/** `3 min ago`, `in 30 s`, `now`. */
export function ago(at: number, now: number): string {
  const passed = now - at;
  if (Math.abs(passed) < SECOND) return 'now';
  return passed > 0 ? `${about(passed)} ago` : `in ${about(-passed)}`;
}

/** A due time: `in 30 s`, `now`; `due` once it has passed. */
export function comes(at: number, now: number): string {
  return now - at >= SECOND ? 'due' : ago(at, now);
}

/** `every 2 s`, `every 5 min`: in the largest unit without a fraction. */
export function every(ms: number): string {
  const units = [
    ['h', HOUR],
    ['min', MINUTE],
    ['s', SECOND],
  ] as const;
  const unit = units.find(([, size]) => ms % size === 0);
  return unit ? `every ${ms / unit[1]} ${unit[0]}` : `every ${ms} ms`;
}

/** Local time: `2026-11-22 10:37:18`. */
export function wallTime(at: number): string {
  const date = new Date(at);
  if (Number.isNaN(at)) return '';
  const two = (part: number) => String(part).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** The value of an input of type datetime-local. */
export function localInput(at: number): string {
  return wallTime(at).replace(' ', 'T').slice(0, 16);
}

/** The time in such a value; undefined without one. */
export function readLocalInput(text: string): number | undefined {
  const at = Date.parse(text);
  return /^\d{4,6}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(text) && !Number.isNaN(at) ? at : undefined;
}

/** The start times to choose from. */
export const SINCE = {
  'last-hour': 'the last hour',
  today: 'today',
  yesterday: 'yesterday',
  'last-working-day': 'the last working day',
  friday: 'Friday',
  monday: 'Monday',
  week: '7 days ago',
  month: '30 days ago',
} as const;
export type Since = keyof typeof SINCE;

/** A choice with its day, where the word alone could mean several: `Friday, 21 Nov`. */
export function sinceText(since: Since, now: number): string {
  const text = SINCE[since];
  if (!['last-working-day', 'friday', 'monday'].includes(since)) return text;
  const at = new Date(beginningOf(since, now));
  const day = at.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' });
  const weekday =
    since === 'last-working-day' ? `${at.toLocaleDateString('en-GB', { weekday: 'long' })}, ` : '';
  return `${text}, ${weekday}${day}`;
}

/** The period that begins then: `since Monday, 24 Nov`, `in the last hour`. */
export function periodText(since: Since, now: number): string {
  return `${since === 'last-hour' ? 'in' : 'since'} ${sinceText(since, now)}`;
}

/** The time that a word, a local day or an ISO 8601 time means, in ms; undefined for other texts. */
export function sinceTime(text: string, now: number): number | undefined {
  if (Object.hasOwn(SINCE, text)) return beginningOf(text as Since, now);
  const at = Date.parse(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00` : text);
  return Number.isNaN(at) ? undefined : at;
}

/** The start time in ms. Days begin at local midnight. Monday is that of this week; Friday and the last working day
 *  are before today. */
export function beginningOf(since: Since, now: number): number {
  const midnight = (daysAgo: number) => {
    const date = new Date(now);
    date.setHours(0, 0, 0, 0);
    date.setDate(date.getDate() - daysAgo);
    return date.getTime();
  };
  const weekday = new Date(now).getDay();
  switch (since) {
    case 'last-hour':
      return now - HOUR;
    case 'today':
      return midnight(0);
    case 'yesterday':
      return midnight(1);
    case 'last-working-day':
      return midnight([2, 3, 1][weekday] ?? 1);
    case 'friday':
      return midnight(((weekday + 1) % 7) + 1);
    case 'monday':
      return midnight((weekday + 6) % 7);
    case 'week':
      return now - 7 * DAY;
    case 'month':
      return now - 30 * DAY;
  }
}
