/** A table as CSV (RFC 4180), which a spreadsheet opens as UTF-8, and in which nothing that a record holds is a formula. */
export function csv(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return `\uFEFF${[head, ...rows].map(row => row.map(cell).join(',')).join('\r\n')}\r\n`;
}

const NUMBER = /^[-+]?\d+([.,]\d+)?$/;

/** A spreadsheet takes a cell that begins with one of these for a formula, also behind white space. One that separates cells by something else
 *  than commas cuts a cell there. An apostrophe before it makes it text. */
const FORMULA = /(^|[;\t\r\n])([\s\p{Cc}\p{Cf}"]*)([=+\-@＝＋－＠|%])/gu;

function cell(text: string): string {
  const safe = NUMBER.test(text)
    ? text
    : text.toWellFormed().replaceAll('\0', '').replace(FORMULA, "$1$2'$3");
  return `"${safe.replaceAll('"', '""')}"`;
}

/** A name that every system takes for a file. */
export function fileName(parts: readonly string[], extension: string): string {
  const name = parts
    .join('-')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 100);
  return `${name || 'changes'}.${extension}`;
}
