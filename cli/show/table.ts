import { columns as columnsOf, cut, pad, printable } from '../../local/terminal/text.ts';
import { type Display, paint, type Style } from './display.ts';
import { wrap } from './wrap.ts';

export interface Column {
  readonly title: string;
  /** Never cut, because users copy it. */
  readonly whole?: boolean;
  /** Omitted where a row with it does not fit. */
  readonly optional?: boolean;
}

/** Any text, even untrusted. */
export type Cell = string | { readonly text: string; readonly style: Style | undefined };

const GAP = '  ';
/** No column is cut below this width. */
const MIN_WIDTH = 8;

/** Rows under titles. On a terminal, the widest columns are cut (`…`) until a row fits. Columns without any text are
 *  omitted. */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  display: Display,
): string {
  const all = rows.map(row => row.map(cell => (typeof cell === 'string' ? { text: cell } : cell)));
  const texts = all.map(row => row.map(({ text }) => printable(text)));
  const filled = columns.flatMap(({ title, whole = false, optional }, index) => {
    if (!texts.some(row => row[index])) return [];
    const width = Math.max(columnsOf(title), ...texts.map(row => columnsOf(row[index] ?? '')));
    return [{ index, whole, optional, width }];
  });
  const isWide =
    overBy(
      filled.map(({ width }) => width),
      display.width,
    ) > 0;
  const shown = filled.filter(({ optional }) => !(optional && isWide));
  const used = shown.map(({ index }) => index);
  const widths = fitted(shown, display.width);
  const line = (cells: readonly string[], styles: readonly (Style | undefined)[]) => {
    const last = used.findLastIndex(index => cells[index]);
    return used
      .slice(0, last + 1)
      .map((index, at) => {
        const width = widths[at] ?? 0;
        const shown = cut(cells[index] ?? '', width);
        const style = styles[index];
        const text = at === last ? shown : pad(shown, width);
        return style === undefined ? text : paint(display, style, text);
      })
      .join(GAP);
  };
  const titles = columns.map(({ title }) => title);
  return [
    line(
      titles,
      titles.map(() => 'dim'),
    ),
    ...texts.map((cells, row) =>
      line(cells, all[row]?.map(cell => ('style' in cell ? cell.style : undefined)) ?? []),
    ),
  ].join('\n');
}

/** Lines below a table, with notes on some rows. */
export function notes(
  rows: readonly (readonly [name: string, notes: readonly string[]])[],
  display: Display,
): string[] {
  return rows.flatMap(([name, all]) => all.map(note => noteOf(name, note, display)));
}

const MAX_LINES = 3;
const INDENT = 4;

function noteOf(name: string, note: string, display: Display): string {
  const head = `  ${printable(name)}: `;
  if (display.width === undefined) return `${head}${printable(note)}`;
  const lines = wrap(printable(note), Math.max(MIN_WIDTH, display.width - INDENT), MAX_LINES);
  const own = lines.length > 1 || columnsOf(head) + columnsOf(lines[0] ?? '') > display.width;
  const body = lines.map(line => `${' '.repeat(INDENT)}${line}`);
  return own
    ? [paint(display, 'yellow', head.trimEnd()), ...body].join('\n')
    : `${paint(display, 'yellow', head)}${lines.join('')}`;
}

/** By how many columns a row is too wide. */
function overBy(widths: readonly number[], room = Number.POSITIVE_INFINITY): number {
  return widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length) - room;
}

/** The widths after narrowing the widest columns until the row fits. */
function fitted(
  columns: readonly { readonly width: number; readonly whole: boolean }[],
  room: number | undefined,
): number[] {
  const widths = columns.map(({ width }) => width);
  for (let over = overBy(widths, room); over > 0; over -= 1) {
    const widest = widths.reduce(
      (best, width, index) => (!columns[index]?.whole && width > (widths[best] ?? 0) ? index : best),
      -1,
    );
    if (widest < 0 || (widths[widest] ?? 0) <= MIN_WIDTH) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}
