import { expect, it } from 'vitest';
import type { ProcessKey } from '../../../functions/basics/process.ts';
import { verifyProcess } from '../../../functions/operations/verify/walk.ts';
import { readVerified } from '../../../functions/operations/verify.ts';
import { AT, commit, openContext, PROCESSES, STORES } from '../../kit/operations/context.ts';
import { eventsOf } from '../../kit/operations/events.ts';

const PROCESS = PROCESSES[0] as ProcessKey;
const HOUR = 3_600_000;

it.each(STORES)('events before a new baseline lead to no snapshot of it, over %s', async (_, open) => {
  const context = openContext(open);
  // The snapshots that `commit` writes have no tasks.
  await commit(context, eventsOf(AT - 3 * HOUR), { at: AT - 3 * HOUR });
  const baselinedAt = async (at: number) => {
    const { announced } = await context.snapshots.readState(PROCESS);
    const request = { events: [], version: announced + 1, at };
    const state = { baselined: true, baselinedAt: at };
    expect(await context.snapshots.announce(PROCESS, { announced, state, request })).toBe('committed');
    const found = await verifyProcess(asked => readVerified(context, asked), { process: PROCESS.processId });
    return [found.isBaselined, found.events, found.mismatches.length];
  };
  expect(await baselinedAt(AT - 4 * HOUR)).toEqual([true, 1, 1]);
  expect(await baselinedAt(AT - 2 * HOUR)).toEqual([true, 0, 0]);
  context.close();
});
