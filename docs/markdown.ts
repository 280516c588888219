/** An item of a list: code, a note in parentheses, and a text, which may have several paragraphs. */
export function item(code: string, inside: string, text: string): string {
  const line = text.replaceAll(/\n{2,}/g, '<br>').replaceAll('\n', ' ');
  return `- \`${code}\`${inside === '' ? '' : ` (${inside})`}: ${line}`;
}

/** The page with a generated text between `<!-- generated: <name> -->` and `<!-- end: <name> -->`.
 *  @throws if the page lacks a marker */
export function embedBetween(page: string, name: string, text: string): string {
  const [begin, end] = [`<!-- generated: ${name} -->`, `<!-- end: ${name} -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`The page lacks ${begin} or, after it, ${end}.`);
  return `${page.slice(0, from + begin.length)}\n\n${text}\n\n${page.slice(to)}`;
}
