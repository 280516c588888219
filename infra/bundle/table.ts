import { type Bundle, kilobytes } from './measure.ts';

/** The most bytes of gzipped code that a bundle may have. A cold start reads, parses and runs all of it:
 *  484 kB took 130 ms on one core of a server, which is faster than a Lambda function. More than this was
 *  bundled by accident. */
const GZIP_BUDGET = 500_000;
/** The function for operators needs more clients of AWS than any other, and may take longer to start,
 *  because people wait a second anyhow. */
const OPERATE_BUDGET = 600_000;

export function budgetOf(name: string): number {
  return name === 'operate' ? OPERATE_BUDGET : GZIP_BUDGET;
}

/** The bundles as a small table for people. */
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
