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
  monday: 'Monday',
  week: '7 days ago',
  month: '30 days ago',
} as const;
export type Since = keyof typeof SINCE;

/** The period that begins then: `since Monday`, `in the last hour`. */
export function periodText(since: Since): string {
  return `${since === 'last-hour' ? 'in' : 'since'} ${SINCE[since]}`;
}

/** The start time in ms. Days begin at local midnight; Monday is that of this week. */
export function beginningOf(since: Since, now: number): number {
  const midnight = (daysAgo: number) => {
    const date = new Date(now);
    date.setHours(0, 0, 0, 0);
    date.setDate(date.getDate() - daysAgo);
    return date.getTime();
  };
  switch (since) {
    case 'last-hour':
      return now - HOUR;
    case 'today':
      return midnight(0);
    case 'yesterday':
      return midnight(1);
    case 'monday':
      return midnight((new Date(now).getDay() + 6) % 7);
    case 'week':
      return now - 7 * DAY;
    case 'month':
      return now - 30 * DAY;
  }
}
