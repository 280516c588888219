import { compareBench } from '../compare.ts';
import { type Findings, type Print, rounded } from './line.ts';

export interface CompareScale {
  readonly rounds: number;
}

/** How quickly a large project is compared, beside the libraries that compare JSON. */
export async function measureCompare({ rounds }: CompareScale, print: Print): Promise<Findings> {
  print('comparing beside libraries');
  const { ratio, goal, library, ratios } = await compareBench(rounds);
  return {
    lines: [
      {
        what: `comparing: ${library} ÷ ours`,
        goal: `≥ ${goal}`,
        measured: `${rounded(ratio)} (medians ${rounded(ratios.median)}, quickest ${rounded(ratios.quickest)}, first ${rounded(ratios.first)})`,
        isMet: ratio >= goal,
      },
    ],
  };
}
