import { compareBench } from '../compare.ts';
import { type Findings, type Say, told } from './line.ts';

export interface CompareScale {
  readonly rounds: number;
}

/** How quickly a large project is compared, beside the libraries that compare JSON. */
export async function measureCompare({ rounds }: CompareScale, say: Say): Promise<Findings> {
  say('comparing beside libraries');
  const { name, ratio, goal, library, ratios } = await compareBench(rounds);
  return {
    lines: [
      {
        what: `${name}: time of the quickest library (${library}) ÷ ours`,
        goal: `≥ ${goal}`,
        measured: `${told(ratio)} (medians ${told(ratios.median)}, quickest ${told(ratios.quickest)}, first ${told(ratios.first)})`,
        isMet: ratio >= goal,
      },
    ],
  };
}
