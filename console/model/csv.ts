/** A table as CSV (RFC 4180), with a mark for UTF-8, and without values that a spreadsheet takes for a formula. */
export function csv(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return `\uFEFF${[head, ...rows].map(row => row.map(cell).join(',')).join('\r\n')}\r\n`;
}

const NUMBER = /^[-+]?\d+([.,]\d+)?$/;

/** A character that begins a formula, after optional white space (the first group). Matches start only at the beginning
 *  of the white space, which keeps the search linear. */
const FORMULA = /(?<![\s\p{Cc}\p{Cf}";])([\s\p{Cc}\p{Cf}";]*)([=+\-@＝＋－＠|%])/gu;
/** With another separator than commas, a spreadsheet also begins a cell after these characters. */
const SEPARATOR = /[;\t\r\n]/;

function cell(text: string): string {
  const safe = NUMBER.test(text)
    ? text
    : text.toWellFormed().replaceAll('\0', '').replace(FORMULA, withoutFormula);
  return `"${safe.replaceAll('"', '""')}"`;
}

/** An apostrophe turns a formula into text. */
function withoutFormula(all: string, blank: string, sign: string, at: number): string {
  return at === 0 || SEPARATOR.test(blank) ? `${blank}'${sign}` : all;
}

/** A file name that is valid on every system. */
export function fileName(parts: readonly string[], extension: string): string {
  const name = parts
    .join('-')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 100);
  return `${name || 'changes'}.${extension}`;
}
