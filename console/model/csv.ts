/** A table as CSV (RFC 4180). A spreadsheet opens it as UTF-8, and takes no value of a record for a
 *  formula. */
export function csv(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return `\uFEFF${[head, ...rows].map(row => row.map(cell).join(',')).join('\r\n')}\r\n`;
}

const NUMBER = /^[-+]?\d+([.,]\d+)?$/;

/** What makes a formula of a cell: one of these characters at its beginning, even after white space.
 *  Spreadsheets that separate cells by something else than commas may begin a cell elsewhere, too. An
 *  apostrophe before it makes it text. */
const FORMULA = /(^|[;\t\r\n])([\s\p{Cc}\p{Cf}"]*)([=+\-@＝＋－＠|%])/gu;

function cell(text: string): string {
  const safe = NUMBER.test(text)
    ? text
    : text.toWellFormed().replaceAll('\0', '').replace(FORMULA, "$1$2'$3");
  return `"${safe.replaceAll('"', '""')}"`;
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
