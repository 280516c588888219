import { expect, it } from 'vitest';
import type { ProcessKey } from '../../../functions/basics/process.ts';
import { verifyProcess } from '../../../functions/operations/verify/walk.ts';
import { readVerified } from '../../../functions/operations/verify.ts';
import { AT, commit, openContext, PROCESSES, STORES, storesOf } from '../../kit/operations/context.ts';
import { eventsOf } from '../../kit/operations/events.ts';
import { openModel } from '../../kit/table.ts';

const PROCESS = PROCESSES[0] as ProcessKey;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

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

it.each([
  ['is as long as before', 30, 30, 27, 1],
  ['is as long as before, of which two days are left out', 7, 7, 5.5, 0],
  ['was shortened', 30, 7, 5.5, 0],
  ['was extended: a record that expires within a day may be deleted before others', 7, 30, 6.5, 0],
  ['was extended: later records', 7, 30, 5.5, 1],
])('the table keeps all records that count, where `keep` %s', async (_, before, now, age, events) => {
  const written = { journal: before * DAY, attempts: 7 * DAY };
  const open = () => ({ ...storesOf({ ...openModel(), keep: written }), close: () => undefined });
  const context = { ...openContext(open), keep: { ...written, journal: now * DAY } };
  const request = { events: [], version: 1, at: 1 };
  await context.snapshots.announce(PROCESS, { announced: 0, state: { baselined: true }, request });
  await commit(context, eventsOf(AT - age * DAY), { at: AT - age * DAY });
  const found = await verifyProcess(asked => readVerified(context, asked), { process: PROCESS.processId });
  expect(found.events).toBe(events);
});
