import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Turn } from '../../functions/service/adaptive-limit.ts';
import { createTurns } from '../../functions/service/turns.ts';

const never = new AbortController().signal;

function turnsOf(ceiling: number, closing = new AbortController()) {
  const time = { now: 1_000_000, ceiling };
  const sleeps: { ms: number; wake: () => void }[] = [];
  const sleep = (ms: number, signal?: AbortSignal) =>
    new Promise<void>((wake, reject) => {
      sleeps.push({ ms, wake });
      signal?.addEventListener('abort', () => reject(new Error('closed')));
    });
  const turns = createTurns(() => time.ceiling, { clock: () => time.now, sleep }, closing.signal);
  /** Who comes is noted down with the turn. */
  const came: string[] = [];
  const held = new Map<string, Turn | undefined>();
  const take = (name: string, signal = never) =>
    void turns.take(signal).then(turn => {
      came.push(name);
      held.set(name, turn);
    });
  const end = (name: string, ...how: [Parameters<typeof turns.end>[1], Parameters<typeof turns.end>[2]?]) =>
    turns.end(held.get(name) as Turn, ...how);
  const settle = () => new Promise<void>(resolve => setImmediate(resolve));
  return { turns, time, sleeps, came, held, take, end, settle, closing };
}

describe('turns', () => {
  test('come in order, and are passed over by those who left the line', async () => {
    const { take, came, end, settle } = turnsOf(1);
    const left = new AbortController();
    take('first');
    take('second');
    take('left', left.signal);
    take('fourth');
    left.abort();
    await settle();
    expect(came).toEqual(['first']);
    end('first', 'other');
    await settle();
    end('second', 'other');
    await settle();
    expect(came).toEqual(['first', 'second', 'fourth']);
  });

  test('are given at once where nobody waits, and never past the line', async () => {
    const { turns, take, settle } = turnsOf(1);
    const turn = turns.takeAtOnce() as Turn;
    expect(turn).toBeDefined();
    expect(turns.takeAtOnce()).toBeUndefined();
    take('waiting');
    turns.end(turn, 'answered');
    expect(turns.takeAtOnce()).toBeUndefined();
    await settle();
  });

  test('come behind a pause, by one timer for all', async () => {
    const { turns, time, take, came, end, sleeps, settle } = turnsOf(4);
    take('first');
    await settle();
    end('first', 'overloaded', { status: 503, retryAfter: 20_000 });
    expect(turns.pause).toMatchObject({ status: 503, until: time.now + 20_000 });
    for (const name of ['second', 'third']) take(name);
    expect(sleeps.map(({ ms }) => ms)).toEqual([20_000]);
    time.now += 20_000;
    // The timer may ring late: who comes now is behind them all the same.
    expect(turns.takeAtOnce()).toBeUndefined();
    sleeps[0]?.wake();
    await settle();
    expect(came).toEqual(['first', 'second', 'third']);
    expect(turns.pause).toBeUndefined();
  });

  test('come in their time though the clock stands still, or is set back', async () => {
    for (const set of [0, -3_600_000]) {
      const { time, take, came, end, sleeps, settle } = turnsOf(1);
      take('first');
      await settle();
      end('first', 'overloaded', { status: 503, retryAfter: 20_000 });
      take('second');
      time.now += set;
      sleeps[0]?.wake();
      await settle();
      expect(came).toEqual(['first', 'second']);
    }
  });

  test('come after few timers when the clock is set back by an hour, long after a rate limit was met', async () => {
    const { turns, time, take, came, end, sleeps, settle } = turnsOf(16);
    take('first');
    await settle();
    end('first', 'rate limit', { status: 429, retryAfter: 1_000 });
    time.now += 7_200_000;
    take('second');
    await settle();
    end('second', 'answered');
    time.now -= 3_600_000;
    for (const name of ['third', 'fourth', 'fifth']) take(name);
    for (let rung = 0; rung < 10; rung += 1) {
      sleeps[rung]?.wake();
      await settle();
    }
    expect(came).toEqual(['first', 'second', 'third', 'fourth', 'fifth']);
    expect(turns.takeAtOnce()).toBeDefined();
  });

  test('are everybody’s when the connection closes, so that nobody waits for ever', async () => {
    const { take, came, end, held, settle, closing } = turnsOf(1);
    take('first');
    await settle();
    end('first', 'rate limit', { status: 429, retryAfter: 15_000 });
    take('second');
    take('third');
    closing.abort();
    await settle();
    expect(came).toEqual(['first', 'second', 'third']);
    expect([held.get('second'), held.get('third')]).not.toContain(undefined);
  });

  test('are refused to all who wait, and to who comes after, once the service asks for more than 20 s', async () => {
    const { turns, time, take, came, end, held, settle } = turnsOf(1);
    for (const name of ['first', 'second', 'third']) take(name);
    await settle();
    expect(came).toEqual(['first']);
    end('first', 'overloaded', { status: 503, retryAfter: 20_001 });
    await settle();
    take('fourth');
    await settle();
    expect(came).toEqual(['first', 'second', 'third', 'fourth']);
    expect(['second', 'third', 'fourth'].map(name => held.get(name))).toEqual(Array(3).fill(undefined));
    expect(turns.takeAtOnce()).toBeUndefined();
    time.now += 20_001;
    expect(turns.takeAtOnce()).toBeDefined();
  });

  test('are as many as the ceiling allows now: it may sink while they are under way, and rise again', async () => {
    const { time, take, came, end, settle } = turnsOf(3);
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) take(name);
    await settle();
    time.ceiling = 1;
    for (const name of ['a', 'b']) end(name, 'other');
    await settle();
    expect(came).toEqual(['a', 'b', 'c']);
    end('c', 'other');
    await settle();
    expect(came).toEqual(['a', 'b', 'c', 'd']);
    time.ceiling = 3;
    end('d', 'other');
    await settle();
    expect(came).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  });

  test('never go to more than there may be, and none is lost', async () => {
    const plans = fc.array(fc.constantFrom('answered', 'other', 'overloaded', 'left'), { maxLength: 24 });
    const property = fc.asyncProperty(
      fc.scheduler(),
      fc.integer({ min: 1, max: 6 }),
      plans,
      async (s, ceiling, plan) => {
        const { turns } = turnsOf(ceiling);
        let underWay = 0;
        const run = async (how: (typeof plan)[number]) => {
          const leaving = new AbortController();
          if (how === 'left') {
            void turns.take(leaving.signal).then(turn => turns.end(turn as Turn, 'other'));
            return leaving.abort();
          }
          const turn = turns.takeAtOnce() ?? ((await turns.take(never)) as Turn);
          underWay += 1;
          expect(underWay).toBeLessThanOrEqual(ceiling);
          await s.schedule(Promise.resolve());
          underWay -= 1;
          turns.end(turn, how);
        };
        const all = Promise.all(plan.map(run));
        await s.waitFor(all);
        expect(turns.takeAtOnce()).toBeDefined();
      },
    );
    await fc.assert(property, { numRuns: 100 });
  });
});
