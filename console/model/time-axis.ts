const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A period that is divided into parts of equal length. Times are in ms since 1970. */
export interface TimeAxis {
  /** The beginning of the first part: a full hour or the like, in local time. */
  readonly since: number;
  readonly size: number;
  readonly count: number;
}

const SIZES = [MINUTE, 10 * MINUTE, HOUR, 6 * HOUR, DAY] as const;
/** The hours of a week, which may begin and end within one. */
const MAX_PARTS = 7 * 24 + 1;
/** A shorter period would have too few parts to look at. */
const MIN_PERIOD_MS = 15 * MINUTE;

/** Divides the period up to `until` into minutes, hours, days or more, so that a screen has room for all parts. */
export function timeAxis(since: number, until: number): TimeAxis {
  const from = Math.min(since, until - MIN_PERIOD_MS);
  const days = Math.ceil((until - from) / DAY / (MAX_PARTS - 2));
  const axes = [...SIZES, days * DAY].map(size => {
    const first = floored(from, size);
    return { since: first, size, count: Math.floor((until - first) / size) + 1 };
  });
  return axes.find(({ count }) => count <= MAX_PARTS) ?? (axes.at(-1) as TimeAxis);
}

/** The part of a time; undefined outside of the axis. */
export function partOf({ since, size, count }: TimeAxis, at: number): number | undefined {
  const part = Math.floor((at - since) / size);
  return part >= 0 && part < count ? part : undefined;
}

/** `minute`, `10 minutes`, `hour`: one part. */
export function sizeText({ size }: TimeAxis): string {
  const [count, unit] =
    size < HOUR ? [size / MINUTE, 'minute'] : size < DAY ? [size / HOUR, 'hour'] : [size / DAY, 'day'];
  return count === 1 ? unit : `${count} ${unit}s`;
}

export interface Tick {
  /** From the beginning of the axis (0) to its end (1). */
  readonly place: number;
  readonly text: string;
}

const STEPS = [5 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY] as const;
const MAX_TICKS = 8;

/** The labels below an axis: hours, or days from local midnight. */
export function ticksOf({ since, size, count }: TimeAxis): Tick[] {
  const period = size * count;
  const step = STEPS.find(one => period / one <= MAX_TICKS) ?? DAY;
  const first = new Date(floored(since, step));
  const times = Array.from({ length: Math.ceil(period / step) + 2 }, (_, index) =>
    step < DAY
      ? first.getTime() + index * step
      : new Date(first.getFullYear(), first.getMonth(), first.getDate() + index).getTime(),
  );
  const shown = times.filter(at => at >= since && at < since + period);
  const every = Math.ceil(shown.length / MAX_TICKS);
  return shown
    .filter((_, index) => index % every === 0)
    .map(at => ({ place: (at - since) / period, text: tickText(at, step) }));
}

function tickText(at: number, step: number): string {
  const date = new Date(at);
  const isMidnight = date.getHours() === 0 && date.getMinutes() === 0;
  return step >= DAY || isMidnight ? dayText(date) : clock(date);
}

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

function dayText(date: Date): string {
  return `${DAYS[date.getDay()]} ${date.getDate()}`;
}

function clock(date: Date): string {
  return `${two(date.getHours())}:${two(date.getMinutes())}`;
}

const two = (part: number) => String(part).padStart(2, '0');

/** A local time in a sentence: `Tue 24, 14:00`. */
export function momentText(at: number): string {
  const date = new Date(at);
  return `${dayText(date)}, ${clock(date)}`;
}

/** A period in words: `Tue 24, 14:00 – 15:00`. A missing end is an empty text. */
export function periodOf({ since, until }: { readonly since: string; readonly until: string }): string {
  if (until === '') return `since ${momentText(Date.parse(since))}`;
  const [begin, end] = [since, until].map(text => momentText(Date.parse(text))) as [string, string];
  if (since === '') return `until ${end}`;
  const [day, time] = end.split(', ');
  return `${begin} – ${begin.startsWith(`${day},`) ? time : end}`;
}

/** Rounded down to a multiple of `size` since local midnight. */
function floored(at: number, size: number): number {
  const date = new Date(at);
  if (size >= DAY) return date.setHours(0, 0, 0, 0);
  // Subtracted, because a time that is set would be ambiguous in the hour that is repeated in autumn.
  const sinceMidnight = ((date.getHours() * 60 + date.getMinutes()) * 60 + date.getSeconds()) * 1000;
  return at - ((sinceMidnight + date.getMilliseconds()) % size);
}
