import { type Contender, LIBRARIES, ours } from './compare/contenders.ts';
import { documentsOf, type Parsed, parse } from './compare/documents.ts';
import { partsOf } from './compare/parts.ts';
import { inTurn, type Took } from './compare/rounds.ts';

/**
 * What it costs to compare a project of 1,000 tasks, 1 % of them changed, with its snapshot, beside
 * libraries that compare JSON: `npm run bench:compare`; exit code 1 when the goal is missed. The
 * libraries show where the JSON differs; ours shows which changes that are (docs/events.md), from the data
 * that a pass has.
 */
const TASKS = 1_000;
const EDITED = 10;
const ROUNDS = 250;
const GOAL = 3;

export interface Compared {
  readonly name: string;
  /** Medians, in ms; `theirs` is that of the quickest library, `library`. */
  readonly ours: number;
  readonly theirs: number;
  readonly library: string;
  /** How many times as long the library takes: the smallest of `ratios`, because other work on the
   *  machine delays the slower one more often. */
  readonly ratio: number;
  readonly goal: number;
  /** The ratios of the medians, of the quickest rounds, and of the medians of the rounds in which each
   *  was the first to touch its documents. */
  readonly ratios: { readonly median: number; readonly quickest: number; readonly first: number };
  readonly all: readonly Took[];
  /** How long each part of our comparison takes. */
  readonly parts: readonly Took[];
  /** What one of our comparisons allocates, in bytes; unknown without `--expose-gc`. */
  readonly allocated: number | undefined;
}

/** Takes about 15 s.
 *  @throws when one of them does not find what was edited */
export async function compareBench(rounds = ROUNDS): Promise<Compared> {
  const documents = documentsOf(TASKS, EDITED);
  const parseBoth = () => [parse(documents.before), parse(documents.after)] as const;
  const us = ours(documents.rules);
  for (const each of [us, ...LIBRARIES]) check(each, parseBoth(), documents.edited);
  const all = inTurn([us, ...LIBRARIES], parseBoth, rounds);
  const [own, ...others] = all as [Took, ...Took[]];
  const library = others.reduce((one, other) => (other.median < one.median ? other : one));
  const ratioOf = (what: 'median' | 'quickest' | 'first') =>
    Math.min(...others.map(each => each[what])) / own[what];
  const ratios = { median: ratioOf('median'), quickest: ratioOf('quickest'), first: ratioOf('first') };
  return {
    name: `comparing a project of ${TASKS} tasks, ${EDITED} of them changed`,
    ours: own.median,
    theirs: library.median,
    library: library.name,
    ratio: Math.min(...Object.values(ratios)),
    goal: GOAL,
    ratios,
    all,
    parts: inTurn(partsOf(documents), parseBoth, rounds),
    allocated: allocatedBy(us, parseBoth()),
  };
}

function check(
  { name, compare }: Contender,
  [before, after]: readonly [Parsed, Parsed],
  edited: readonly string[],
): void {
  const found = JSON.stringify(compare(before, after));
  if (!edited.every(id => found.includes(id))) throw new Error(`${name} does not find every edit.`);
}

function allocatedBy({ compare }: Contender, [before, after]: readonly [Parsed, Parsed]): number | undefined {
  if (!globalThis.gc) return undefined;
  globalThis.gc();
  const used = process.memoryUsage().heapUsed;
  compare(before, after);
  return process.memoryUsage().heapUsed - used;
}

function print({ name, library, ratio, goal, ratios, all, parts, allocated }: Compared): void {
  const out = (text: string) => process.stdout.write(`${text}\n`);
  const line = (cells: readonly string[]) =>
    out(cells.map((cell, index) => (index ? cell.padStart(12) : cell.padEnd(40))).join(''));
  const [own] = all as [Took, ...Took[]];
  const row = ({ name, median, quickest, first }: Took) =>
    line([name, ...[median, quickest, first].map(ms => ms.toFixed(3)), (median / own.median).toFixed(2)]);
  out(`${name}\n`);
  line(['', 'median, ms', 'quickest', 'first', '÷ ours']);
  all.forEach(row);
  out('\nof ours');
  parts.forEach(row);
  if (allocated !== undefined) out(`allocated, KB: ${(allocated / 1024).toFixed(0)}`);
  const { median, quickest, first } = ratios;
  out(
    `\n${library} ÷ ours: ${ratio.toFixed(2)} (at least ${goal}: ${ratio >= goal ? 'met' : 'MISSED'}), the smallest of these: medians ` +
      `${median.toFixed(2)}, quickest ${quickest.toFixed(2)}, first to touch the documents ${first.toFixed(2)}`,
  );
}

if (import.meta.main) {
  const compared = await compareBench();
  print(compared);
  if (compared.ratio < compared.goal) process.exitCode = 1;
}
