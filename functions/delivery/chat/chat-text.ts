const graphemes = new Intl.Segmenter('en');

/** Scripts that are written from right to left: a value in one of them would reverse `from → to`. */
const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;

/** Invisible characters that control terminals and renderers, or that would reorder the text after the
 *  value. */
const HARMFUL =
  /[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFFF9-\uFFFB]|\p{Noncharacter_Code_Point}/gu;

/** Data as one line of well-formed text: control and direction characters removed, white space collapsed. The empty
 *  text when nothing of it can be seen. */
export function cleanText(text: string): string {
  const line = text
    .toWellFormed()
    .replace(/[\s\u0085]+/gu, ' ')
    .replace(HARMFUL, '')
    .trim();
  return /[^\p{Cf}\p{Z}\p{M}]/u.test(line) ? line : '';
}

/** `text` with at most `limit` units of `measure` (default: UTF-16 units), cut between whole characters as people see
 *  them, with an ellipsis that shows the cut. */
export function cutText(text: string, limit: number, measure = (part: string) => part.length): string {
  if (measure(text) <= limit) return text;
  const room = limit - 1;
  // Stryker disable next-line MethodExpression: only saves segmenting characters that are cut off anyway
  const begin = graphemes.segment(text.slice(0, limit + 64));
  const whole = takeWhileFits(
    Array.from(begin, ({ segment }) => segment),
    room,
    measure,
  );
  // One character with a thousand accents is longer than any limit: then cut inside it, between code points.
  const kept = whole === '' ? takeWhileFits([...text], room, measure) : whole;
  return `${kept.trimEnd()}…`;
}

/** Two long texts whose first difference is far from their beginning, both cut so that they begin a little
 *  before it. */
export function fromDifference(from: string, to: string, limit: number): readonly [string, string] {
  if (Math.max(from.length, to.length) <= limit) return [from, to];
  const same = commonPrefix(from, to);
  if (same < limit / 2) return [from, to];
  const { index: start } = graphemes
    .segment(from)
    .containing(same - Math.floor(limit / 4)) as Intl.SegmentData;
  return [`…${from.slice(start).trimStart()}`, `…${to.slice(start).trimStart()}`];
}

/** Keeps text that is written from right to left from changing the direction of what follows it. */
export function isolate(text: string): string {
  return RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text;
}

/** Data as one clean line of at most `limit` units, which doesn't change the direction of the text around
 *  it. */
export function label(text: string, limit: number): string {
  return isolate(cutText(cleanText(text), limit));
}

/** `1 task`, `2 tasks`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

/** As many of the first parts as fit; there are more than that. */
function takeWhileFits(parts: readonly string[], room: number, measure: (part: string) => number): string {
  let used = 0;
  const end = parts.findIndex(part => {
    used += measure(part);
    return used > room;
  });
  return parts.slice(0, end).join('');
}

function commonPrefix(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}
