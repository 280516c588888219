import { type Bundle, kilobytes } from './measure.ts';

/** The limit of a bundle's gzipped bytes, because a cold start reads, parses and runs all of it (484 kB: 130 ms on a
 *  server core). A larger bundle contains something by accident. */
const GZIP_BUDGET = 500_000;
/** The operate function needs more AWS clients than any other, and may take longer to start. */
const OPERATE_BUDGET = 600_000;

export function budgetOf(name: string): number {
  return name === 'operate' ? OPERATE_BUDGET : GZIP_BUDGET;
}

/** The bundles as an aligned table of text. */
export function table(bundles: readonly Bundle[]): string {
  const rows = [
    ['bundle', 'size', 'gzip', 'of budget'],
    ...bundles.map(({ name, size, gzip }) => [
      name,
      kilobytes(size),
      kilobytes(gzip),
      `${Math.ceil((gzip / budgetOf(name)) * 100)} %`,
    ]),
  ];
  const width = (column: number): number => Math.max(...rows.map(row => row[column]?.length ?? 0));
  const line = (row: readonly string[]): string =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(width(i)) : cell.padStart(width(i)))).join('  ');
  return `${rows.map(line).join('\n')}\n`;
}
