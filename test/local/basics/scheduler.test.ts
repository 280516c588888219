import { describe, expect, onTestFinished, test } from 'vitest';
import { type Job, LOOK_MS, startScheduler } from '../../../local/basics/scheduler.ts';
import { ownTime, soon } from '../../kit/local/own-time.ts';

function scheduled(jobs: Job[], time: ReturnType<typeof ownTime>, failures: string[] = []) {
  const onFailure = (job: Job, error: unknown) => void failures.push(`${job.name}: ${error}`);
  const scheduler = startScheduler(jobs, { ...time, onFailure });
  onTestFinished(scheduler.stop);
  return scheduler;
}

/** A job that is due first at `first`, and then each `interval`. */
function jobOf(run: Job['run'], { first = 0, interval = 60, isDueAtStart = false, name = 'a' } = {}): Job {
  return { name, isDueAtStart, run, due: async since => (since === undefined ? first : since + interval) };
}
const done = Promise.resolve('done' as const);

describe('the scheduler', () => {
  test('runs a job when it is due', async () => {
    const time = ownTime();
    const starts: [at: number, isAsked: boolean][] = [];
    const run = async (isAsked: boolean) => {
      starts.push([time.clock(), isAsked]);
      return 'done' as const;
    };
    scheduled([jobOf(run, { first: 10 })], time);
    for (let i = 0; i < 3; i++) await time.step();
    const expected = [10, 70, 130].map(at => [at, false]);
    await soon(() => expect(starts).toEqual(expected));
  });

  test('runs at the start what is wanted then, as if somebody asked for it', async () => {
    const time = ownTime();
    const starts: [at: number, isAsked: boolean][] = [];
    const run = async (isAsked: boolean) => {
      starts.push([time.clock(), isAsked]);
      return 'done' as const;
    };
    scheduled([jobOf(run, { first: 1_000, isDueAtStart: true })], time);
    await soon(() => expect(starts).toEqual([[0, true]]));
    await time.step();
    await soon(() => expect(starts[1]).toEqual([60, false]));
  });

  test('asks again within a minute where nothing is due soon, or the clock jumped', async () => {
    const time = ownTime();
    const asked: number[] = [];
    const starts: number[] = [];
    const day = 86_400_000;
    const job: Job = {
      ...{ name: 'a', isDueAtStart: false },
      due: async since => {
        asked.push(time.clock());
        if (since !== undefined) return undefined;
        return day;
      },
      run: async () => {
        starts.push(time.clock());
        return 'done';
      },
    };
    scheduled([job], time);
    await time.step();
    await soon(() => expect(asked).toEqual([0, LOOK_MS]));
    time.jump(day);
    await time.step();
    await soon(() => expect(starts).toHaveLength(1));
    for (let i = 0; i < 3; i++) await time.step();
    await soon(() => expect(asked).toHaveLength(7));
    expect(starts).toHaveLength(1);
  });

  test('never runs a job beside itself, while others go on', async () => {
    const time = ownTime();
    const slow = Promise.withResolvers<'done'>();
    let slowRuns = 0;
    let quickRuns = 0;
    const quick = async () => {
      quickRuns++;
      return 'done' as const;
    };
    scheduled(
      [
        jobOf(() => (slowRuns++ === 0 ? slow.promise : done), { interval: 1, name: 'slow' }),
        jobOf(quick, { interval: 1, name: 'quick' }),
      ],
      time,
    );
    for (let i = 0; i < 5; i++) await time.step();
    await soon(() => expect(quickRuns).toBe(6));
    expect(slowRuns).toBe(1);
    slow.resolve('done');
    await soon(() => expect(slowRuns).toBe(2));
  });

  test('tells a failure, and tries again when the next run is due', async () => {
    const time = ownTime();
    const failures: string[] = [];
    let runs = 0;
    const run = async () => {
      if (runs++ === 0) throw new Error('away');
      return 'done' as const;
    };
    scheduled([jobOf(run)], time, failures);
    await time.step();
    await soon(() => expect(runs).toBe(2));
    expect(failures).toEqual(['a: Error: away']);
    expect(time.clock()).toBe(60);
  });

  test('tells that it can not be found out what is due, and asks again in a minute', async () => {
    const time = ownTime();
    const failures: string[] = [];
    let runs = 0;
    const due = async () => {
      if (time.clock() === 0) throw new Error('locked');
      return time.clock() + 5;
    };
    const run = async () => {
      runs++;
      return 'done' as const;
    };
    scheduled([{ name: 'a', isDueAtStart: false, due, run }], time, failures);
    await time.step();
    await soon(() => expect(failures).toEqual(['a: Error: locked']));
    expect([runs, time.clock()]).toEqual([0, LOOK_MS]);
  });

  test('does not wait when there is more to do, and asks as before', async () => {
    const time = ownTime();
    const runs: boolean[] = [];
    const run = async (isAsked: boolean) => {
      runs.push(isAsked);
      return runs.length < 3 ? ('again' as const) : ('done' as const);
    };
    scheduled([jobOf(run, { first: 9, isDueAtStart: true })], time);
    await soon(() => expect(runs).toEqual([true, true, true]));
    expect(time.clock()).toBe(0);
  });

  test('when stopped waits for the run under way and starts no other', async () => {
    const time = ownTime();
    const under = Promise.withResolvers<'done'>();
    let runs = 0;
    const run = () => (runs++ === 0 ? under.promise : done);
    const scheduler = scheduled([jobOf(run, { isDueAtStart: true })], time);
    await soon(() => expect(runs).toBe(1));
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
    const starts: [at: number, isAsked: boolean][] = [];
    const under = Promise.withResolvers<'done'>();
    const run = (isAsked: boolean) => {
      starts.push([time.clock(), isAsked]);
      return starts.length === 1 ? under.promise : done;
    };
    const job = jobOf(run, { first: 1000 });
    const scheduler = scheduled([job], time);
    expect(scheduler.runNow(job)).toBe('begun');
    await soon(() => expect(starts).toEqual([[0, true]]));
    expect([scheduler.runNow(job), scheduler.runNow(job)]).toEqual(['next', 'next']);
    expect(scheduler.runNow({ ...job })).toBe('unknown');
    expect(starts).toHaveLength(1);
    under.resolve('done');
    await soon(() => expect(starts).toHaveLength(2));
    await time.step();
    await soon(() =>
      expect(starts).toEqual([
        [0, true],
        [0, true],
        [60, false],
      ]),
    );
    await scheduler.stop();
    expect(scheduler.runNow(job)).toBe('unknown');
  });
});
