/** Lengths of time, in ms. */
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** The time at which most tests begin, in ms since 1970: a whole hour. */
export const AT = Date.UTC(2026, 10, 21, 12);

export const iso = (time: number) => new Date(time).toISOString();
