import { describe, expect, it } from 'vitest';
import { onHoldEvent, skippedEvent } from '../../functions/changes/process-events.ts';
import { type ProcessState, UNKNOWN_PROCESS } from '../../functions/model/process-state.ts';
import { announce, type Draft } from '../../functions/pass/announce.ts';
import type { PassPorts } from '../../functions/pass/context/context.ts';
import type { Announcement, Snapshots } from '../../functions/store/store.ts';

const AT = Date.UTC(2026, 10, 21, 12);
const process = { workspace: 'eu', processId: 'p' };

/** What `announce` needs of a pass, over a table in which others announce first as often as `conflicts` says, and that takes
 *  `most` events at once. */
function portsOf(announced: number, conflicts: number, most = 100) {
  const committed: Announcement[] = [];
  let state: ProcessState = { ...UNKNOWN_PROCESS, baselined: true, announced };
  const snapshots = {
    readState: async () => state,
    announce: async (_process: unknown, announcement: Announcement) => {
      if (conflicts-- > 0) state = { ...state, announced: state.announced + 7, reported: ['theirs'] };
      if (announcement.announced !== state.announced) return 'conflict';
      if (announcement.request.events.length > most) return 'too-large';
      state = { ...state, announced: announcement.request.version };
      state = { ...state, ...announcement.state };
      committed.push(announcement);
      return 'committed';
    },
  } as unknown as Snapshots;
  const ids: (readonly string[])[] = [];
  const onCommitted = (one: readonly string[]) => ids.push(one);
  const ports = { process, snapshots, clock: () => AT, onCommitted } as unknown as PassPorts;
  return { committed, ids, announcer: [ports, state] as const };
}
const skipped = (version: number, index: number) =>
  skippedEvent(process, { version, index, at: AT, projectId: '7', since: AT, reason: 'down' });
const say = () => ({
  state: {},
  events: (version: number) => [onHoldEvent(process, { version, at: AT, missing: 1, known: 2 })],
});

it('invariant 3: gives an announcement the time as its version, or one more than the last where a clock ran ahead', async () => {
  for (const [last, version] of [
    [0, AT],
    [AT - 1, AT],
    [AT, AT + 1],
    [AT + 5_000, AT + 5_001],
  ] as const) {
    const { announcer, committed } = portsOf(last, 0);
    expect(await announce(...announcer, say)).toBe(1);
    expect(committed[0]?.request).toMatchObject({ version, at: AT, events: [{ sequence: String(version) }] });
  }
});

it('hands the ids of what it told, and of nothing else, to who waits for events', async () => {
  const { announcer, committed, ids } = portsOf(0, 1);
  await announce(...announcer, say);
  expect(ids).toEqual([committed[0]?.request.events.map(({ id }) => id)]);
  expect(ids[0]).toEqual([expect.any(String)]);
});

it('invariant 8: decides again by the state of who was first', async () => {
  const { announcer, committed } = portsOf(AT, 1);
  const seen: ProcessState[] = [];
  const told = await announce(...announcer, state => {
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
  await expect(announce(...portsOf(0, 1_000).announcer, counted)).rejects.toThrow(
    /process p .* 20 tries.*pollers/s,
  );
  expect(tries).toBe(20);
});

describe('what is too large for one commit', () => {
  /** Says so many things, of which the state knows how many are said. */
  const sayMany =
    (count: number): ((state: ProcessState) => Draft | undefined) =>
    state => {
      const left = count - state.reported.length;
      const some = (much: number): Draft => ({
        state: { reported: Array(state.reported.length + much).fill('said') },
        events: version => Array.from({ length: much }, (_, index) => skipped(version, index)),
        less: () => (much > 1 ? some(Math.floor(much / 2)) : undefined),
      });
      return left > 0 ? some(left) : undefined;
    };

  it('is said in parts, each with its state, and counted together', async () => {
    const { announcer, committed } = portsOf(0, 0, 3);
    expect(await announce(...announcer, sayMany(10))).toBe(10);
    expect(committed.map(({ request }) => request.events.length)).toEqual([2, 2, 3, 3]);
    expect(committed.map(({ state }) => state.reported?.length)).toEqual([2, 4, 7, 10]);
    expect(committed.map(({ request }) => request.version)).toEqual([AT, AT + 1, AT + 2, AT + 3]);
  });

  it('counts what was said of it when another pass says the rest', async () => {
    const { announcer } = portsOf(0, 0, 1);
    expect(
      await announce(...announcer, state => (state.reported.length < 2 ? sayMany(4)(state) : undefined)),
    ).toBe(2);
  });

  it('is an error when nothing of it fits, or there is no less of it', async () => {
    const message = /process p .* too large to commit: not one/;
    await expect(announce(...portsOf(0, 0, 0).announcer, sayMany(4))).rejects.toThrow(message);
    await expect(announce(...portsOf(0, 0, 0).announcer, say)).rejects.toThrow(message);
  });
});
