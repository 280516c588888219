import { expect, it } from 'vitest';
import { crash } from './crash.ts';

const KILLS = 10;
/** It takes a third of it; a machine may be busy, and a lease that a kill left lasts a minute. */
const LIMIT = 170_000;
/** Another plan each day. */
const SEED = Number(new Date().toISOString().slice(0, 10).replaceAll('-', ''));

it(`invariants 1 to 4: a local run that is killed ${KILLS} times loses and invents nothing (seed ${SEED})`, async () => {
  const lines: string[] = [];
  try {
    const summary = await crash({ seed: SEED, kills: KILLS, limit: LIMIT, say: line => lines.push(line) });
    expect(summary.kills).toBe(KILLS);
    const died = Object.keys(summary.byVictim).sort();
    if (lines.some(line => line.startsWith('No machine dies'))) expect(died).toEqual(['process']);
    else expect(died).toEqual(['machine', 'process']);
    expect(summary.events).toBeGreaterThan(KILLS);
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}\n\n${lines.join('\n')}`);
  }
}, 180_000);
