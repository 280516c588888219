const LONGEST = 60;
const MOST = 12;

/** Text from the service in a form that is safe to print: at most 60 characters, with invisible ones and
 *  control characters escaped. */
export function shown(text: string): string {
  const start = [...text.slice(0, 2 * LONGEST)].slice(0, LONGEST).join('');
  const cut = start.length < text.length ? `${start}…` : start;
  return cut.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, sign => `\\u{${sign.codePointAt(0)?.toString(16)}}`);
}

/** Names of properties, as a list in words. */
export function propertyList(names: readonly string[]): string {
  if (names.length === 0) return 'nothing';
  const rest = names.length - MOST;
  return `${names.slice(0, MOST).map(shown).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** A time as ISO text. */
export function timeText(time: number): string {
  return new Date(time).toISOString();
}

/** `1 project`, `2 projects`, `3 entries`. */
export function counted(count: number, what: string): string {
  return `${count} ${count === 1 ? what : what.replace(/y$/, 'ie').concat('s')}`;
}

/** A span in words: `3 s`, `5 min`, `2 h`. */
export function span(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / 1000);
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}
