import { type Bundle, kilobytes } from './measure.ts';

/** Bytes of gzipped code that a bundle may have. A cold start reads, parses and runs all of it: measured, 484 kB took
 *  130 ms on one core of a server, and a Lambda function has less than that. What is beyond was bundled by accident. */
const GZIP_BUDGET = 500_000;
/** The function for people has more to do with AWS than any other, and answers somebody who waits for a second anyhow. */
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
