/** A table as CSV (RFC 4180). A spreadsheet opens it as UTF-8, and takes no value of a record for a
 *  formula. */
export function csv(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return `\uFEFF${[head, ...rows].map(row => row.map(cell).join(',')).join('\r\n')}\r\n`;
}

const NUMBER = /^[-+]?\d+([.,]\d+)?$/;

/** What makes a formula of a cell: one of these characters at its beginning, even after white space, which the first group
 *  holds. It is searched from the beginning of the white space alone: that takes linear time. */
const FORMULA = /(?<![\s\p{Cc}\p{Cf}";])([\s\p{Cc}\p{Cf}";]*)([=+\-@＝＋－＠|%])/gu;
/** Spreadsheets that separate cells by something else than commas may begin a cell elsewhere, too. */
const SEPARATOR = /[;\t\r\n]/;

function cell(text: string): string {
  const safe = NUMBER.test(text)
    ? text
    : text.toWellFormed().replaceAll('\0', '').replace(FORMULA, withoutFormula);
  return `"${safe.replaceAll('"', '""')}"`;
}

/** An apostrophe makes a text of a formula. */
function withoutFormula(all: string, blank: string, sign: string, at: number): string {
  return at === 0 || SEPARATOR.test(blank) ? `${blank}'${sign}` : all;
}

/** A file name that every system accepts. */
export function fileName(parts: readonly string[], extension: string): string {
  const name = parts
    .join('-')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 100);
  return `${name || 'changes'}.${extension}`;
}
