import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ProcessKey } from '../../functions/basics/process.ts';
import { follow } from '../../functions/operations/follow.ts';
import { createOperations } from '../../functions/operations/operations.ts';
import { AT, commit, openContext, PROCESSES, STORES, type Stores } from '../kit/operations/context.ts';
import { eventsOf } from '../kit/operations/events.ts';

type FollowOptions = Parameters<typeof follow>[1];

const CALLER = { who: 'ann', isProven: true };

/** A commit: when it is seen, how long before that it is dated, and how many events it has. */
interface Planned {
  readonly process: ProcessKey;
  readonly seenAt: number;
  readonly late: number;
  readonly count: number;
}

/** Commits are seen while time goes on, which it does with each request and each wait. */
function stage(open: () => Stores, planned: readonly Planned[], { asking = 20, skew = 0, limit = 2 } = {}) {
  const context = openContext(open);
  const operations = createOperations(context);
  const left = planned
    .toSorted((one, other) => one.seenAt - other.seenAt)
    .map((one, index) => ({ ...one, index }));
  const told: { id: string; at: number }[] = [];
  const pass = async (ms: number) => {
    context.state.now += ms;
    while (left[0] && AT + left[0].seenAt <= context.state.now) {
      const { process, seenAt, late, count, index } = left.shift() as (typeof left)[number];
      const at = AT + seenAt - late;
      const projectId = `p${index}`;
      const events = eventsOf(at, count, { process, projectId });
      await commit(context, events, { process, at, projectId });
      told.push(...events.map(({ id }) => ({ id, at })));
    }
  };
  const following: FollowOptions = {
    ask: async asked => {
      await pass(asking);
      const page = await operations(asked, CALLER);
      await pass(asking);
      return page as never;
    },
    clock: () => context.state.now + skew,
    sleep: pass,
    limit,
  };
  return { context, following, told, isOver: () => left.length === 0 };
}

/** What is found until so long after the last commit. */
async function followed(
  { context, following, isOver }: ReturnType<typeof stage>,
  query: Parameters<typeof follow>[0],
  after = 130_000,
) {
  const found: string[] = [];
  const ending = new AbortController();
  let end: number | undefined;
  const sleep: FollowOptions['sleep'] = async ms => {
    await following.sleep(ms);
    if (isOver()) end ??= context.state.now + after;
    if (end !== undefined && context.state.now >= end) ending.abort();
  };
  for await (const { event } of follow(query, { ...following, sleep, signal: ending.signal }))
    found.push(event.id);
  return found;
}

const plan = fc.array(
  fc.record({
    process: fc.constantFrom(...PROCESSES),
    seenAt: fc.integer({ min: 0, max: 200_000 }),
    late: fc.oneof(fc.constant(0), fc.nat({ max: 200 }), fc.nat({ max: 90_000 })),
    count: fc.integer({ min: 1, max: 4 }),
  }),
  { maxLength: 25 },
);

/** A punctual commit of the first process. */
const ofFirst = { process: PROCESSES[0] as ProcessKey, late: 0, count: 1 };

describe.each(STORES)('over %s, following events', (_, open) => {
  it('tells each once, however late some are seen, and whatever comes while pages are read', async () => {
    await fc.assert(
      fc.asyncProperty(
        plan,
        fc.integer({ min: 1, max: 400 }),
        fc.integer({ min: -9e6, max: 9e6 }),
        fc.constantFrom(2, 7, 20),
        async (planned, asking, skew, limit) => {
          const set = stage(open, planned, { asking, skew, limit });
          const found = await followed(set, { since: new Date(AT - 100_000).toISOString() });
          set.context.close();
          expect(found.toSorted()).toEqual(set.told.map(({ id }) => id).toSorted());
        },
      ),
      { numRuns: 40 },
    );
  });

  it('tells them in the order of their commits, when none is seen late', async () => {
    await fc.assert(
      fc.asyncProperty(plan, async planned => {
        const punctual = planned.map((one, index) => ({ ...one, seenAt: 300 * index, late: 0 }));
        const set = stage(open, punctual);
        const found = await followed(set, { since: new Date(AT).toISOString() }, 5_000);
        set.context.close();
        expect(found).toEqual(set.told.map(({ id }) => id));
      }),
      { numRuns: 20 },
    );
  });

  it('begins now, by the clock of who answers, and leaves out what does not match', async () => {
    const [one, other] = [ofFirst, { ...ofFirst, process: PROCESSES[1] as ProcessKey }];
    const times = [1, 900, 950, 1_900];
    const planned = times.map(seenAt => ({ ...(seenAt === 950 ? other : one), seenAt }));
    const set = stage(open, planned, { skew: -86_400_000 });
    await set.following.sleep(10);
    const found = await followed(set, { process: one.process.processId });
    expect(found).toEqual([set.told[1]?.id, set.told[3]?.id]);
    set.context.close();
  });

  it('is not held up by a commit that is dated ahead of its time', async () => {
    const ahead = { ...ofFirst, seenAt: 10, late: -3_600_000 };
    const set = stage(open, [ahead, ...[5_000, 9_000].map(seenAt => ({ ...ofFirst, seenAt }))]);
    const found = await followed(set, {}, 5_000);
    expect(found).toEqual(set.told.map(({ id }) => id));
    set.context.close();
  });

  it('looks back also while more comes than it can read', async () => {
    const busy = Array.from({ length: 400 }, (_, index) => ({ ...ofFirst, seenAt: 100 * index, count: 2 }));
    const late = { process: PROCESSES[1] as ProcessKey, seenAt: 8_000, late: 7_000, count: 1 };
    const set = stage(open, [...busy, late], { asking: 60 });
    const found: string[] = [];
    const { id } = eventsOf(AT + 1_000, 1, { process: late.process, projectId: 'p81' })[0] as { id: string };
    const ending = new AbortController();
    const sleep = async () => ending.abort();
    const query = { since: new Date(AT).toISOString() };
    for await (const { event } of follow(query, { ...set.following, sleep, signal: ending.signal })) {
      found.push(event.id);
      if (event.id === id) break;
    }
    expect(found).toContain(id);
    expect(set.isOver()).toBe(false);
    expect(new Set(found).size).toBe(found.length);
    set.context.close();
  });

  it('gets further in each round, also when two minutes take long to read', async () => {
    const burst = Array.from({ length: 400 }, (_, index) => ({ ...ofFirst, seenAt: index }));
    const set = stage(open, burst, { asking: 100 });
    await set.following.sleep(1_000);
    const found = await followed(set, { since: new Date(AT).toISOString() }, 0);
    expect(found).toHaveLength(400);
    expect(set.context.state.now - AT).toBeLessThan(180_000);
    set.context.close();
  });

  it('reads no more again than the last two minutes have', async () => {
    const set = stage(
      open,
      Array.from({ length: 60 }, (_, index) => ({ ...ofFirst, seenAt: 10_000 * index })),
    );
    const asked: number[] = [];
    const counted: FollowOptions = {
      ...set.following,
      ask: async request => {
        const page = await set.following.ask(request);
        asked.push(page.events.length);
        return page;
      },
      limit: 100,
    };
    const since = new Date(AT).toISOString();
    const found = await followed({ ...set, following: counted }, { since }, 1_000);
    expect(found).toHaveLength(set.told.length);
    // Two minutes have twelve of these.
    expect(Math.max(...asked)).toBeLessThan(15);
    set.context.close();
  });
});

describe('following', () => {
  it('fails with what asking fails with', async () => {
    const ask = () => Promise.reject(new Error('no way there'));
    const all = follow({}, { ask, clock: () => AT, sleep: async () => undefined });
    await expect(all.next()).rejects.toThrow('no way there');
  });

  it('fails with what waiting fails with, and ends quietly when it is ended', async () => {
    const page = { at: new Date(AT).toISOString(), events: [], searched: 0 };
    const ending = new AbortController();
    const sleep = async () => {
      throw new Error('no sleep');
    };
    const parts = { ask: async () => page, clock: () => AT, sleep, signal: ending.signal };
    await expect(follow({}, parts).next()).rejects.toThrow('no sleep');
    const end = () => {
      ending.abort();
      return sleep();
    };
    expect(await follow({}, { ...parts, sleep: end }).next()).toEqual({ done: true, value: undefined });
  });
});
