import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../functions/basics/json.ts';
import { UNKNOWN_PROCESS } from '../../functions/model/process-state.ts';
import { announceEntries } from '../../functions/pass/announce.ts';
import type { PassContext } from '../../functions/pass/context/context.ts';
import { createSnapshots } from '../../functions/store/dynamo/store.ts';
import type { Snapshots } from '../../functions/store/store.ts';
import { AT } from '../kit/store/subject.ts';
import { openTable, type TestTable } from '../kit/table.ts';

let table: TestTable;
let snapshots: Snapshots;
let processes = 0;
let process = { workspace: 'eu', processId: '' };
/** What was asked of the table and told to the lease, in turn. */
let calls: string[];
beforeAll(async () => {
  table = await openTable();
  snapshots = createSnapshots(table);
});
afterAll(() => table?.stop());
beforeEach(() => {
  process = { workspace: 'eu', processId: `log ${++processes}` };
  calls = [];
});

const entriesOf = (count: number) => Array.from({ length: count }, (_, n): JsonObject => ({ n }));
/** Notes what is asked of the table. */
const watched: Pick<Snapshots, 'announce' | 'readState' | 'emittedEntries' | 'load'> = {
  announce: async (of, announcement) => {
    const result = await snapshots.announce(of, announcement);
    calls.push(`${result} ${announcement.request.events.length}`);
    return result;
  },
  readState: async of => {
    calls.push('state');
    return { ...(await snapshots.readState(of)), baselined: true };
  },
  emittedEntries: (of, ids) => snapshots.emittedEntries(of, ids),
  load: (of, id) => snapshots.load(of, id),
};

function tell(entries: readonly JsonObject[], over: Partial<typeof watched> = {}) {
  const heartbeat = { beat: async () => void calls.push('beat') };
  const before = { ...UNKNOWN_PROCESS, baselined: true };
  const context = { process, snapshots: { ...watched, ...over }, clock: () => AT, heartbeat, before };
  const actors = { ofEntries: async () => (entry: JsonObject) => [{ id: `u${entry.n}`, name: 'Eva' }] };
  return announceEntries(context as unknown as PassContext, entries, new Set(), actors as never);
}

describe('the new entries of the audit log', () => {
  it('are told ninety at a time, each time by the state as it then is; the lease is kept meanwhile', async () => {
    expect(await tell(entriesOf(181))).toBe(181);
    expect(calls).toEqual([
      ...['committed 90', 'beat'],
      ...['state', 'committed 90', 'beat'],
      ...['state', 'committed 1', 'beat'],
    ]);
  });

  it('are told once: what was told before costs no commit', async () => {
    const [first, ...others] = entriesOf(3) as [JsonObject, ...JsonObject[]];
    expect(await tell([first])).toBe(1);
    calls = [];
    expect(await tell([first])).toBe(0);
    expect(calls).toEqual(['beat']);
    expect(await tell([first, ...others])).toBe(2);
  });

  it('are told by halves where they are too large for one commit; one that never fits is an error', async () => {
    const most =
      (count: number): Snapshots['announce'] =>
      async (_, { request }) => {
        const result = request.events.length > count ? 'too-large' : 'committed';
        calls.push(`${result} ${request.events.length}`);
        return result;
      };
    const never = tell(entriesOf(3), { announce: most(0) });
    await expect(never).rejects.toThrow('not one of them fits');
    expect(calls).toEqual(['too-large 3', 'too-large 1']);
  });
});
