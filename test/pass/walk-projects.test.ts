import { describe, expect, it } from 'vitest';
import { TooLargeError } from '../../functions/pass/commit-changes.ts';
import { Pass, type PassParts } from '../../functions/pass/pass.ts';
import { TaskListMissingError } from '../../functions/pass/task-list-missing-error.ts';
import { failureOf, isOfOneProject, walkProjects } from '../../functions/pass/walk-projects.ts';
import {
  ServiceAnswerError,
  ServiceError,
  ServiceStatusError,
  ServiceUnreachableError,
} from '../../functions/service/errors.ts';
import { type Lease, type PassWindow, TornSnapshotError } from '../../functions/snapshots/snapshots.ts';
import { UNKNOWN_PROCESS } from '../../functions/snapshots/state.ts';

type Became = 'same' | 'committed' | 'gone' | 'unknown' | 'doubtful';

interface Options {
  readonly ids: readonly string[];
  /** What becomes of a project when it is not `same`. */
  readonly became?: Readonly<Record<string, Became | Error>>;
  readonly window?: Partial<PassWindow> | undefined;
  readonly progress?: string | undefined;
  readonly skipped?: readonly string[];
  /** In ms; each project takes 10 s. */
  readonly stopAt?: number;
  readonly work?: (id: string) => Promise<Became>;
  readonly concurrency?: number;
}

/** A walk at time 0 by a pass whose every project takes 10 s, so that its lease is saved behind each. */
async function walkOf({ ids, became = {}, window, progress, skipped = [], ...options }: Options) {
  let now = 0;
  const saved: Lease[] = [];
  const worked: string[] = [];
  const said: unknown[] = [];
  const told: string[] = [];
  const pass = new Pass(
    {
      clock: () => now,
      stopAt: options.stopAt ?? 1_000_000_000,
      concurrency: options.concurrency ?? 1,
      process: { workspace: 'eu', processId: 'p' },
      state: { ...UNKNOWN_PROCESS, skipped: skipped.map(id => ({ id, since: 0, reason: '', told: true })) },
      snapshots: { saveProgress: async (_process: unknown, lease: Lease) => saved.push(lease) > 0 },
      log: { warn: (message: string, details: object) => said.push({ message, ...details }) },
      onProgress: (done: number, total: number) => told.push(`${done}/${total}`),
    } as unknown as PassParts,
    { mode: 'sweep', owner: 'me', window: window && { startedAt: 7, ...window }, progress },
  );
  const work = async (id: string) => {
    worked.push(id);
    now += 10_000;
    const result = became[id] ?? 'same';
    if (result instanceof Error) throw result;
    return result;
  };
  const walked = await walkProjects(pass, ids, options.work ?? work);
  return { walked, worked, saved, said, told, pass };
}
const refused = (id: string) =>
  new ServiceStatusError(`GET /processes/p/projects/${id}/tasks?first=500`, 403, 'no');
const numbered = (count: number) => Array.from({ length: count }, (_, index) => String(1_000 + index));

describe('a walk over projects', () => {
  it('works on each in id order, and is certain of what it read', async () => {
    const became = { '1': 'committed', '2': 'unknown' } as const;
    const { walked, worked, told, said } = await walkOf({ ids: ['3', '1', '2'], became });
    expect(worked).toEqual(['1', '2', '3']);
    expect(walked).toEqual({ outcome: 'done', total: 3, gone: [], failures: [], uncertain: false });
    expect(told).toEqual(['0/3', '1/3', '2/3', '3/3']);
    expect(said).toEqual([]);
  });

  it('stops when its time is over, and goes on behind the last project that is done', async () => {
    const ids = ['1', '2', '3', '4'];
    const { walked, saved } = await walkOf({ ids, window: {}, stopAt: 20_000 });
    expect(walked.outcome).toBe('stopped');
    expect(saved.at(-1)).toMatchObject({ progress: '2' });
    const { worked, told } = await walkOf({ ids, window: {}, progress: '2' });
    expect(worked).toEqual(['3', '4']);
    expect(told).toEqual(['2/4', '3/4', '4/4']);
  });

  it('remembers projects to come by again up to 100,000 bytes of them, and moves on behind no more', async () => {
    const ids = Array.from({ length: 60 }, (_, index) => `${1_000 + index}`.padEnd(1_800, '\u0001'));
    const became = Object.fromEntries(ids.map(id => [id, 'gone' as const]));
    const { pass, saved } = await walkOf({ ids, window: {}, became });
    // Each has 4 + 1,796 * 6 bytes in JSON, two quotes and a comma.
    expect(pass.lease).toMatchObject({ progress: ids[8], window: { left: ids.slice(0, 9) } });
    expect(Math.max(...saved.map(lease => JSON.stringify(lease).length))).toBeLessThan(120_000);
    const { worked } = await walkOf({ ids, ...pass.lease });
    expect(worked).toEqual(ids);
  });

  it('is not certain of a project that is doubtful, and a later run of the pass knows', async () => {
    const { walked, pass } = await walkOf({ ids: ['1', '2'], window: {}, became: { '1': 'doubtful' } });
    expect(walked).toMatchObject({ uncertain: true, gone: [], failures: [] });
    expect(pass.lease.window).toEqual({ startedAt: 7, left: [], uncertain: true });
    const { walked: later } = await walkOf({ ids: ['1', '2'], ...pass.lease });
    expect(later.uncertain).toBe(true);
    const { walked: certain } = await walkOf({ ids: ['1'], window: { uncertain: false } });
    expect(certain.uncertain).toBe(false);
  });

  it.each([
    ['is gone', 'gone'],
    ['can not be read', refused('1')],
  ] as const)(
    'is certain of a project that %s only when a later run of the pass reads it',
    async (_, became) => {
      const { walked, pass } = await walkOf({ ids: ['1', '2'], window: {}, became: { '1': became } });
      expect(walked.uncertain).toBe(true);
      expect(pass.lease).toMatchObject({ progress: '2', window: { startedAt: 7, left: ['1'] } });
      expect(pass.lease.window?.uncertain).toBeUndefined();
      const later = await walkOf({ ids: ['1', '2', '3'], ...pass.lease });
      expect(later.worked).toEqual(['1', '3']);
      expect(later.walked.uncertain).toBe(false);
      expect(later.pass.lease.window?.left).toEqual([]);
    },
  );

  it('goes on from the furthest project, not from one that an earlier run left', async () => {
    const { saved } = await walkOf({ ids: ['1', '2', '3', '4'], window: { left: ['1'] }, progress: '3' });
    expect(saved.map(({ progress }) => progress)).toEqual(['3', '4']);
  });

  it('leaves a hundred behind and moves on, but no more: they stand in one item of the table', async () => {
    const ids = numbered(102);
    const became = Object.fromEntries(ids.map(id => [id, 'gone' as const]));
    const { saved, worked, walked } = await walkOf({ ids, became, window: {} });
    expect(worked).toHaveLength(102);
    expect(walked.gone).toEqual(ids);
    expect(saved[99]).toMatchObject({ progress: ids[99], window: { left: ids.slice(0, 100) } });
    expect(saved.at(-1)).toMatchObject({ progress: ids[99], window: { left: ids.slice(0, 100) } });
  });

  it('tells of failures in id order, whichever came first', async () => {
    const second = Promise.withResolvers<void>();
    const { walked } = await walkOf({
      ids: ['1', '2'],
      concurrency: 2,
      work: async id => {
        if (id === '1') await second.promise;
        second.resolve();
        throw refused(id);
      },
    });
    expect(walked.failures.map(({ id }) => id)).toEqual(['1', '2']);
  });

  it('warns of a project that can not be read, unless that is known', async () => {
    const became = { '1': refused('1'), '2': refused('2') };
    const { said, walked } = await walkOf({ ids: ['1', '2'], became, skipped: ['1'] });
    expect(walked.failures.map(({ id }) => id)).toEqual(['1', '2']);
    expect(said).toEqual([
      {
        message: expect.stringMatching(/others go on/),
        workspace: 'eu',
        processId: 'p',
        projectId: '2',
        error: refused('2').message,
      },
    ]);
  });

  it('ends with what is everybody’s trouble', async () => {
    const became = { '1': new ServiceUnreachableError('GET /processes/p/projects/1/tasks', 'time-out') };
    await expect(walkOf({ ids: ['1', '2'], became })).rejects.toThrow('time-out');
  });
});

describe('what goes wrong', () => {
  const tasks = 'GET /processes/p/projects/1/tasks?first=500';
  const status = (code: number, request = tasks) => new ServiceStatusError(request, code, 'no');
  const unusable = (request: string) =>
    new ServiceAnswerError(request, { path: '$', expected: 'tasks', found: 'none' });

  it.each([
    ['too large', new TooLargeError(), true],
    ['torn', new TornSnapshotError(), true],
    ['without its task list', new TaskListMissingError('1'), true],
    ['unusable', unusable(tasks), true],
    ['unusable among others', unusable('GET /processes/p/projects?first=500'), true],
    ['refused', status(403), true],
    ['failing', status(500), true],
    ['refused for the token', status(401), false],
    ['refused for the rate', status(429), false],
    ['unreachable', new ServiceUnreachableError(tasks, 'time-out'), false],
    ['endless', new ServiceError(tasks, 'no end'), false],
    ['a definition that is refused', status(403, 'GET /processes/p/coverpage'), false],
    ['a definition that is unusable', unusable('GET /processes/p/coverpage'), false],
    ['of our own', new Error('throttled'), false],
  ])('with one project alone: %s: %s', (_, error, isOfOne) => {
    expect(isOfOneProject(error)).toBe(isOfOne);
  });

  it('with too many is told by their number and by the first, which is the cause', () => {
    const failures = ['1', '2'].map(id => ({ id, error: refused(id) }));
    const error = failureOf(failures);
    expect(error.message).toMatch(/^2 project\(s\) can not be read or committed\. The first: .*\/1\/tasks/);
    expect(error.cause).toBe(failures[0]?.error);
  });
});
