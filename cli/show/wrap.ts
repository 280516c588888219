import { cut } from '../../local/terminal/text.ts';

/** Printable text in lines of at most `width` columns, broken between words, and cut after `maxLines` lines. */
export function wrap(text: string, width: number, maxLines: number): string[] {
  const lines: string[] = [];
  let rest = text;
  let last = cut(rest, width);
  while (last !== rest && lines.length < maxLines - 1) {
    const line = headOf(rest, width);
    lines.push(line.trimEnd());
    rest = rest.slice(line.length);
    last = cut(rest, width);
  }
  return [...lines, last];
}

/** The part of the text that fits on a line, up to a space; the first part of a word that is too long. */
function headOf(text: string, width: number): string {
  const fitting = cut(text, width + 1).replace(/…$/, '');
  const space = fitting.lastIndexOf(' ');
  return space > 0 ? text.slice(0, space + 1) : cut(text, width).replace(/…$/, '');
}
