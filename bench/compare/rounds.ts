import { seededRandom } from '../../simulator/data/random.ts';
import type { Contender } from './contenders.ts';
import type { Parsed } from './documents.ts';

const WARM_UP = 40;

/** What one contender took, in ms. */
export interface Took {
  readonly name: string;
  readonly median: number;
  readonly quickest: number;
  /** The median of the rounds in which it came first: no cache of the processor has the documents then. */
  readonly first: number;
}

/** Makes `rounds` rounds. In each the documents are parsed again, and all contenders compare them, one
 *  after the other, in a random order. So caches, garbage collection and other work on this machine
 *  affect all alike. */
export function inTurn(
  contenders: readonly Contender[],
  parse: () => readonly [before: Parsed, after: Parsed],
  rounds: number,
): Took[] {
  const random = seededRandom(1);
  const taken = contenders.map(contender => ({ contender, all: [] as number[], first: [] as number[] }));
  for (let round = -WARM_UP; round < rounds; round += 1) {
    const [before, after] = parse();
    const drawn = taken.map(each => ({ each, rank: random() })).sort((one, other) => one.rank - other.rank);
    for (const [turn, { each }] of drawn.entries()) {
      const began = performance.now();
      each.contender.compare(before, after);
      const ms = performance.now() - began;
      if (round < 0) continue;
      each.all.push(ms);
      if (turn === 0) each.first.push(ms);
    }
  }
  return taken.map(({ contender, all, first }) => ({
    name: contender.name,
    median: median(all),
    quickest: Math.min(...all),
    first: median(first),
  }));
}

function median(all: readonly number[]): number {
  return all.toSorted((one, other) => one - other)[Math.floor(all.length / 2)] ?? Number.NaN;
}
