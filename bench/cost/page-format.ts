/** `12.34 $`; from a hundred on without cents. */
export function money(dollars: number): string {
  if (dollars > 0 && dollars < 0.005) return '< 0.01 $';
  return `${count(dollars, dollars < 100 ? 2 : 0)} $`;
}

/** `1,234`. */
export function count(value: number, digits = 0): string {
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** A table of Markdown; the first column is left-aligned. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  align = '---:|',
): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(headings), `|---|${align.repeat(headings.length - 1)}`, ...rows.map(line), ''];
}
