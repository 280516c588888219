import { expect, it } from 'vitest';
import { codeSeed } from '../support/code-seed.ts';
import { crash } from './crash.ts';
import { planOf } from './plan.ts';

const KILLS = 6;
/** It takes a third of it; a machine may be busy, and a lease that a kill left lasts a minute. */
const LIMIT = 170_000;
/** Another plan with each change of the code. */
const SEED = codeSeed(Date.now());

it(`invariants 1 to 4: a local run that is killed ${KILLS} times loses and invents nothing (seed ${SEED})`, async () => {
  const lines: string[] = [];
  try {
    const summary = await crash({ seed: SEED, kills: KILLS, limit: LIMIT, say: line => lines.push(line) });
    expect(summary.kills).toBe(KILLS);
    const planned = new Set(planOf(SEED, KILLS).map(({ victim }) => victim));
    expect(new Set(Object.keys(summary.byVictim))).toEqual(planned);
    expect(summary.events).toBeGreaterThan(KILLS);
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}\n\n${lines.join('\n')}`);
  }
}, 180_000);
