import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Sleep } from '../../../functions/clock.ts';
import { type Job, startScheduler } from '../../../local/cli/scheduler.ts';

/** Time that moves by sleeping only: the sleeper that is due first wakes next. */
function ownTime() {
  let now = 0;
  const sleepers: { at: number; wake: () => void }[] = [];
  const sleep: Sleep = (ms, signal) =>
    new Promise((resolve, reject) => {
      const sleeper = { at: now + ms, wake: resolve };
      sleepers.push(sleeper);
      signal?.addEventListener('abort', () => {
        sleepers.splice(sleepers.indexOf(sleeper), 1);
        reject(signal.reason);
      });
    });
  const step = async () => {
    await vi.waitFor(() => expect(sleepers.length).toBeGreaterThan(0), { interval: 1 });
    sleepers.sort((a, b) => a.at - b.at);
    const next = sleepers.shift();
    now = next?.at ?? now;
    next?.wake();
  };
  return { clock: () => now, sleep, step };
}

function scheduled(jobs: Job[], time: ReturnType<typeof ownTime>, failures: string[] = []) {
  const onFailure = (job: Job, error: unknown) => void failures.push(`${job.name}: ${error}`);
  const scheduler = startScheduler(jobs, { ...time, onFailure });
  onTestFinished(scheduler.stop);
  return scheduler;
}

describe('the scheduler', () => {
  test('runs a job when it is first due and then at its interval', async () => {
    const time = ownTime();
    const starts: number[] = [];
    const run = async () => {
      starts.push(time.clock());
      return 'done' as const;
    };
    scheduled([{ name: 'a', interval: 60, firstAt: 10, run }], time);
    for (let i = 0; i < 3; i++) await time.step();
    await vi.waitFor(() => expect(starts).toEqual([10, 70, 130]));
  });

  test('never runs a job beside itself, while others go on', async () => {
    const time = ownTime();
    const slow = Promise.withResolvers<'done'>();
    let slowRuns = 0;
    let quickRuns = 0;
    scheduled(
      [
        { name: 'slow', interval: 1, firstAt: 0, run: () => (slowRuns++ === 0 ? slow.promise : done) },
        {
          name: 'quick',
          interval: 1,
          firstAt: 0,
          run: async () => {
            quickRuns++;
            return 'done';
          },
        },
      ],
      time,
    );
    for (let i = 0; i < 5; i++) await time.step();
    await vi.waitFor(() => expect(quickRuns).toBe(6));
    expect(slowRuns).toBe(1);
    slow.resolve('done');
    await vi.waitFor(() => expect(slowRuns).toBe(2));
  });

  test('tells a failure, and tries again at the next interval', async () => {
    const time = ownTime();
    const failures: string[] = [];
    let runs = 0;
    const run = async () => {
      if (runs++ === 0) throw new Error('away');
      return 'done' as const;
    };
    scheduled([{ name: 'a', interval: 60, firstAt: 0, run }], time, failures);
    await time.step();
    await vi.waitFor(() => expect(runs).toBe(2));
    expect(failures).toEqual(['a: Error: away']);
    expect(time.clock()).toBe(60);
  });

  test('does not wait when there is more to do', async () => {
    const time = ownTime();
    let runs = 0;
    const run = async () => (runs++ < 2 ? 'again' : 'done') as 'again' | 'done';
    scheduled([{ name: 'a', interval: 60, firstAt: 0, run }], time);
    await vi.waitFor(() => expect(runs).toBe(3));
    expect(time.clock()).toBe(0);
  });

  test('when stopped waits for the run under way and starts no other', async () => {
    const time = ownTime();
    const under = Promise.withResolvers<'done'>();
    let runs = 0;
    const run = () => (runs++ === 0 ? under.promise : done);
    const scheduler = scheduled([{ name: 'a', interval: 1, firstAt: 0, run }], time);
    let stopped = false;
    const stopping = scheduler.stop().then(() => {
      stopped = true;
    });
    await Promise.resolve();
    expect(stopped).toBe(false);
    under.resolve('done');
    await stopping;
    expect(runs).toBe(1);
  });

  test('runs a job now that is due later; one that runs is run again when it ends, never beside itself', async () => {
    const time = ownTime();
    const starts: number[] = [];
    const under = Promise.withResolvers<'done'>();
    const run = () => {
      starts.push(time.clock());
      return starts.length === 1 ? under.promise : done;
    };
    const job = { name: 'a', interval: 60, firstAt: 1000, run };
    const scheduler = scheduled([job], time);
    expect(scheduler.runNow(job)).toBe('begun');
    await vi.waitFor(() => expect(starts).toEqual([0]));
    expect([scheduler.runNow(job), scheduler.runNow(job)]).toEqual(['next', 'next']);
    expect(scheduler.runNow({ ...job })).toBe('unknown');
    expect(starts).toEqual([0]);
    under.resolve('done');
    await vi.waitFor(() => expect(starts).toEqual([0, 0]));
    await time.step();
    await vi.waitFor(() => expect(starts).toEqual([0, 0, 60]));
    await scheduler.stop();
    expect(scheduler.runNow(job)).toBe('unknown');
  });
});

const done = Promise.resolve('done' as const);
