import { expect, it } from 'vitest';
import { heldEvent } from '../../functions/changes/build-events.ts';
import { announce } from '../../functions/pass/announce.ts';
import type { Announcement, Snapshots } from '../../functions/snapshots/snapshots.ts';
import { type ProcessState, UNKNOWN_PROCESS } from '../../functions/snapshots/state.ts';

const AT = Date.UTC(2026, 10, 21, 12);
const process = { workspace: 'eu', processId: 'p' };

/** What `announce` needs of a pass, over a table in which others announce first as often as `conflicts` says. */
function partsOf(announced: number, conflicts: number) {
  const committed: Announcement[] = [];
  let state: ProcessState = { ...UNKNOWN_PROCESS, announced };
  const snapshots = {
    readState: async () => state,
    announce: async (_process: unknown, announcement: Announcement) => {
      if (conflicts-- > 0) state = { ...state, announced: state.announced + 7, reported: ['theirs'] };
      if (announcement.announced !== state.announced) return false;
      committed.push(announcement);
      return true;
    },
  } as unknown as Snapshots;
  return { committed, parts: { process, snapshots, state, clock: () => AT } };
}
const say = () => ({
  state: {},
  events: (version: number) => [heldEvent(process, { version, at: AT, missing: 1, known: 2 })],
});

it('gives an announcement the time as its version, or one more than the last where a clock ran ahead', async () => {
  for (const [last, version] of [
    [0, AT],
    [AT - 1, AT],
    [AT, AT + 1],
    [AT + 5_000, AT + 5_001],
  ] as const) {
    const { parts, committed } = partsOf(last, 0);
    expect(await announce(parts, say)).toBe(1);
    expect(committed[0]?.said).toMatchObject({ version, at: AT, events: [{ sequence: String(version) }] });
  }
});

it('invariant 8: decides again by the state of who was first', async () => {
  const { parts, committed } = partsOf(AT, 1);
  const seen: ProcessState[] = [];
  const told = await announce(parts, state => {
    seen.push(state);
    return state.reported.includes('theirs') ? undefined : say();
  });
  expect([told, committed.length]).toEqual([0, 0]);
  expect(seen.map(({ announced }) => announced)).toEqual([AT, AT + 7]);
});

it('says what to look at when others keep being first', async () => {
  let tries = 0;
  const counted = () => {
    tries += 1;
    return say();
  };
  await expect(announce(partsOf(0, 1_000).parts, counted)).rejects.toThrow(/process p .* 20 tries.*pollers/s);
  expect(tries).toBe(20);
});
