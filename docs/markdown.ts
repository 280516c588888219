/** A table. Cells may have several paragraphs. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const escaped = rows.map(cells => cells.map(cell));
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(heads), `|${'---|'.repeat(heads.length)}`, ...escaped.map(line)].join('\n');
}

/** A text escaped for a cell. */
function cell(text: string): string {
  return text
    .replaceAll('|', '\\|')
    .replaceAll(/\n{2,}/g, '<br>')
    .replaceAll('\n', ' ');
}

/** The page with a generated text between `<!-- generated: <name> -->` and `<!-- end: <name> -->`.
 *  @throws if the page lacks a marker */
export function embedBetween(page: string, name: string, text: string): string {
  const [begin, end] = [`<!-- generated: ${name} -->`, `<!-- end: ${name} -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`The page lacks ${begin} or, after it, ${end}.`);
  return `${page.slice(0, from + begin.length)}\n\n${text}\n\n${page.slice(to)}`;
}
