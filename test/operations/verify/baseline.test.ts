import { expect, it } from 'vitest';
import type { ProcessKey } from '../../../functions/basics/process.ts';
import { verifyProcess } from '../../../functions/operations/verify/walk.ts';
import { verifySlice } from '../../../functions/operations/verify.ts';
import { KEEP, type Keep } from '../../../functions/store/limits.ts';
import { AT, commit, openContext, PROCESSES, STORES, storesOf } from '../../kit/operations/context.ts';
import { eventsOf } from '../../kit/operations/events.ts';
import { openModel } from '../../kit/table.ts';

const PROCESS = PROCESSES[0] as ProcessKey;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

it.each(STORES)(
  'events before a new baseline, or as old as the journal, lead to no snapshot of it, over %s',
  async (_, open) => {
    const context = openContext(open);
    // The snapshots that `commit` writes have no tasks.
    await commit(context, eventsOf(AT - 3 * HOUR), { at: AT - 3 * HOUR });
    const baselinedAt = async (at: number) => {
      const { announced } = await context.snapshots.readState(PROCESS);
      const request = { events: [], version: announced + 1, at };
      const state = { baselined: true, baselinedAt: at };
      expect(await context.snapshots.announce(PROCESS, { announced, state, request })).toBe('committed');
      return found(KEEP);
    };
    const found = async (keep: Keep) => {
      const verified = await verifyProcess(asked => verifySlice({ ...context, keep }, asked), {
        process: PROCESS.processId,
      });
      return [verified.isBaselined, verified.events, verified.mismatches.length];
    };
    expect(await baselinedAt(AT - 4 * HOUR)).toEqual([true, 1, 1]);
    // Half of so short a time is verified: events of before may be deleted.
    expect(await found({ ...KEEP, journal: 5 * HOUR })).toEqual([true, 0, 0]);
    expect(await found({ ...KEEP, journal: 7 * HOUR })).toEqual([true, 1, 1]);
    expect(await baselinedAt(AT - 2 * HOUR)).toEqual([true, 0, 0]);
    context.close();
  },
);

it.each([
  ['a record that expires within a day may be deleted before an older one', 6.5, 0],
  ['later records count', 5.5, 1],
])('after `keep` was extended, older records count while they are kept: %s', async (_, age, events) => {
  const written = { ...openModel(), keep: { ...KEEP, journal: 7 * DAY } };
  const context = openContext(() => ({ ...storesOf(written), keep: KEEP, close: () => undefined }));
  const request = { events: [], version: 1, at: 1 };
  await context.snapshots.announce(PROCESS, { announced: 0, state: { baselined: true }, request });
  await commit(context, eventsOf(AT - age * DAY), { at: AT - age * DAY });
  const found = await verifyProcess(asked => verifySlice(context, asked), { process: PROCESS.processId });
  expect(found.events).toBe(events);
});
