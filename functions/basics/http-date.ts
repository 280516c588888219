/** An HTTP date (RFC 9110 §5.6.7, any of its three forms) in ms since 1970; undefined for any other text. */
export function parseHttpDate(text: string | undefined): number | undefined {
  if (text === undefined || !/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return undefined;
  // The asctime form names no zone and means GMT; Date.parse would take ours.
  const time = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(time) ? undefined : time;
}

/** If the service's clock differs from ours by more than this, one of them is wrong, and its time is not
 *  used. */
const PLAUSIBLE_MS = 24 * 60 * 60 * 1000;

/** An HTTP date as the time of an answer that came at `now`, by our clock; undefined for any other text, or
 *  when it is too far from our clock. */
export function plausibleDate(text: string | undefined, now: number): number | undefined {
  const time = parseHttpDate(text);
  return time !== undefined && Math.abs(time - now) <= PLAUSIBLE_MS ? time : undefined;
}

/**
 * How long a `Retry-After` header asks to wait, in ms, or undefined when its value is not usable. `now` is
 * what an HTTP date counts from: the service's own `Date` where there is one, so that our clock doesn't
 * matter.
 */
export function parseRetryAfter(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const time = parseHttpDate(text);
  return time === undefined ? undefined : Math.max(0, time - now);
}
