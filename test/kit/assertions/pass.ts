import { stalledEvent } from '../../../functions/changes/process-events.ts';
import type { ChangeEvent } from '../../../functions/model/event.ts';
import { type ProcessState, type Recheck, UNKNOWN_PROCESS } from '../../../functions/model/process-state.ts';
import type { SnapshotHead } from '../../../functions/model/snapshot.ts';
import { announce, type Draft } from '../../../functions/pass/announce.ts';
import type { PassContext } from '../../../functions/pass/context/context.ts';
import { recheckChanges } from '../../../functions/pass/rechecks.ts';
import { Heads } from '../../../functions/pass/rounds.ts';
import { changeGroups } from '../../../functions/store/codec.ts';
import type { Lease, Snapshots } from '../../../functions/store/store.ts';
import { someEvents } from '../delivery/setting.ts';
import { openTable } from '../table.ts';
import { createWorld } from '../world.ts';
import type { Trips } from './trip.ts';

const AT = Date.UTC(2026, 10, 21, 12);
const process = { workspace: 'eu', processId: 'p' };
const BASELINED: ProcessState = { ...UNKNOWN_PROCESS, baselined: true, watermark: AT, sweptAt: AT };

const stall = (version: number) => stalledEvent(process, { version, at: AT, since: AT, reason: 'down' });

/** Announces a stall, with a defect in the draft or in the state that was read. */
function announcing(draft: Partial<Draft> = {}, state: Partial<ProcessState> = {}): Promise<number> {
  const snapshots = { announce: async () => 'committed' } as unknown as Snapshots;
  const right = { state: {}, events: (version: number) => [stall(version)] };
  const ports = { process, snapshots, clock: () => AT };
  return announce(ports, { ...BASELINED, ...state }, () => ({ ...right, ...draft }));
}

/** Makes a pass of a process with a baseline, over a table whose leases have a defect. */
async function passing(
  mode: 'changes' | 'sweep',
  defect: (lease: Lease) => Partial<Lease>,
): Promise<unknown> {
  const table = await openTable();
  const world = await createWorld(table, { projects: 1 });
  try {
    await world.run();
    world.pass(60_000);
    const snapshots: Snapshots = {
      ...world.snapshots,
      readState: async (...how) => ({
        ...(await world.snapshots.readState(...how)),
        isChangesOpen: true,
      }),
      takeLease: async (...how) => {
        const lease = await world.snapshots.takeLease(...how);
        return lease && { ...lease, ...defect(lease) };
      },
    };
    return await world.run(mode, { poll: world.poller({ snapshots }) });
  } finally {
    await world.stop();
    await table.stop();
  }
}

const RECHECK: Recheck = {
  ...{ cause: 'unreadable', since: AT, foundAt: AT, reason: 'r', isReported: true, revision: 1 },
};
/** The rows for a project that becomes uncertain, which had a recheck with a defect. */
const rechecking = (defect: object) =>
  recheckChanges(
    { ...BASELINED, rechecks: new Map([['7', { ...RECHECK, cause: 'not-listed', ...defect }]]) },
    [['7', { end: 'uncertain' }]],
    AT,
  );

/** Each makes a part of a pass. */
export const PASS: Trips<'announce' | 'recheck' | 'settle' | 'survey' | 'lease' | 'journal'> = {
  'announce.counter-grows': () => announcing({}, { announced: 2 ** 53 }),
  'announce.counter-is-its-own': () => announcing({ state: { announced: AT } }),
  'announce.one-version': () => announcing({ events: version => [stall(version - 1)] }),
  'announce.ids-are-unique': () => announcing({ events: version => [stall(version), stall(version)] }),
  'announce.silent-before-baseline': () => announcing({}, { baselined: false }),
  'recheck.of-each-unsettled': () =>
    recheckChanges(
      { ...BASELINED, rechecks: new Map([['7', RECHECK]]) },
      [
        ['7', { end: 'settled' }],
        ['7', { end: 'unreadable' }],
      ],
      AT,
    ),
  'recheck.since-never-grows': () => rechecking({ since: Number.NaN }),
  'recheck.stays-reported': () => {
    let reads = 0;
    // It is reported when it is checked, and was not when it was read.
    const defect = Object.defineProperty({ ...RECHECK, cause: 'not-listed' as const }, 'isReported', {
      enumerable: true,
      get: () => reads++ > 0,
    });
    const state = { ...BASELINED, rechecks: new Map([['7', defect]]) };
    return recheckChanges(state, [['7', { end: 'uncertain' }]], AT);
  },
  'settle.watermark-of-window': () =>
    passing('sweep', () => ({ window: { startedAt: Number.NaN, begunAt: AT } })),
  'settle.audit-stays-known': () => passing('changes', () => ({ window: { startedAt: AT, begunAt: AT } })),
  'survey.heads-in-order': () => {
    const pages = ['b', 'a'].map(projectId => [{ projectId } as SnapshotHead]);
    const snapshots = {
      heads: async function* () {
        yield* pages;
      },
    };
    const context = { process, snapshots, heartbeat: { beat: async () => undefined } };
    return new Heads(context as unknown as PassContext, () => true).toEnd();
  },
  'lease.is-ours': () => passing('sweep', () => ({ owner: 'another run' })),
  'journal.has-every-event': () => {
    const [first] = someEvents(1) as [ChangeEvent];
    const cut = { length: 2, [Symbol.iterator]: () => [first].values() };
    return changeGroups(cut as unknown as ChangeEvent[]);
  },
};
