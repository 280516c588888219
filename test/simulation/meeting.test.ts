import { describe, expect, it } from 'vitest';
import { Coverage } from './faults.ts';
import type { MeetStep } from './plan.ts';
import { encounters } from './report.ts';
import { run } from './run.ts';
import { smallEdit, smallPlan, WALK } from './small-plan.ts';

type Mode = MeetStep['walkers'][number]['mode'];

/** Makes a baseline and one edit, and then has two passes meet, with changes of priority at these steps. */
async function met(modes: readonly Mode[], changes: readonly number[]): Promise<Coverage> {
  const edit = smallEdit('update project');
  const plan = smallPlan('dynamodb', [
    { ...WALK, do: 'run', gap: 0, mode: 'sweep' },
    { ...edit, do: 'edit', gap: 600_000 },
    {
      ...{ do: 'meet', gap: 63_000, pace: 40, isClose: false },
      walkers: modes.map(mode => ({ ...WALK, mode })),
      changes: changes.map(at => ({ at, frozen: 0 })),
      edits: [{ at: 0, ...edit, value: 8 }],
    },
  ]);
  const coverage = new Coverage();
  await run(plan, coverage);
  return coverage;
}

const taken = ({ rows }: Coverage) => rows.find(([, fault]) => fault === 'lease of a living one taken')?.[2];

describe('passes that meet', () => {
  it('go one after the other while their priorities stay', async () => {
    const { rows } = await met(['changes', 'sweep'], []);
    expect(encounters(rows)).toBe(0);
  });

  it('commit between the calls of each other where priorities change', async () => {
    const { rows } = await met(['changes', 'sweep'], [250]);
    expect(encounters(rows)).toBeGreaterThan(0);
  });

  it('go on behind the back of the one that took their lease', async () => {
    expect(taken(await met(['changes', 'changes'], [200]))).toBe(1);
    expect(taken(await met(['changes', 'changes'], []))).toBe(0);
    expect(taken(await met(['changes', 'sweep'], [200]))).toBe(0);
  });
});
