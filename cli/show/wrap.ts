import { columns, cut } from '../../local/terminal/text.ts';

/** Printable text in lines of at most `width` columns, broken between words; after `most` lines it is cut. */
export function wrap(text: string, width: number, most: number): string[] {
  const lines: string[] = [];
  let rest = text;
  while (columns(rest) > width && lines.length < most - 1) {
    const line = headOf(rest, width);
    lines.push(line.trimEnd());
    rest = rest.slice(line.length);
  }
  return [...lines, cut(rest, width)];
}

/** The beginning of the text that fits on a line, up to a blank; of a word that is longer than a line,
 *  its beginning. */
function headOf(text: string, width: number): string {
  const fitting = cut(text, width + 1).replace(/…$/, '');
  const blank = fitting.lastIndexOf(' ');
  return blank > 0 ? text.slice(0, blank + 1) : cut(text, width).replace(/…$/, '');
}
