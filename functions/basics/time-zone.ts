import { Temporal } from 'temporal-polyfill';

/** Whether it is a time zone of the IANA database, such as `Europe/Berlin`. */
export function isTimeZone(name: string): boolean {
  try {
    // Stryker disable next-line ObjectLiteral: without an option the time zone is that of the machine
    new Intl.DateTimeFormat('en', { timeZone: name });
    // It refuses abbreviations such as `PST`.
    dayIn(name, 0);
    return true;
  } catch {
    return false;
  }
}

/** The day at a time (ms since 1970) in a time zone: `2026-11-28`. */
export function dayIn(timeZone: string, at: number): string {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone).toPlainDate().toString();
}

/** When a day has this time of day (`08:00`) in a time zone, in ms since 1970. A time that a clock change leaves out is
 *  moved on by as much; of one that comes twice it is the first. @throws RangeError for another format, and for a day
 *  or time that does not exist */
export function timeIn(timeZone: string, day: string, timeOfDay = '00:00'): number {
  const time = Temporal.PlainTime.from(timeOfDay);
  return Temporal.PlainDate.from(day).toZonedDateTime({ timeZone, plainTime: time }).epochMilliseconds;
}

/** The day this many days after another one; before it where `days` is negative. */
export function addDays(day: string, days: number): string {
  return Temporal.PlainDate.from(day).add({ days }).toString();
}

/** The same time of day in the time zone, this many days after a time (ms since 1970). A time that a clock change
 *  leaves out is moved on, as in `timeIn`. */
export function daysAfter(timeZone: string, at: number, days: number): number {
  const start = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone);
  return start.add({ days }).epochMilliseconds;
}

/** The day of the week, from 1 for Monday to 7 for Sunday. */
export function weekdayOf(day: string): number {
  return Temporal.PlainDate.from(day).dayOfWeek;
}
