import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { PassReport } from '../../../functions/pass/run-pass.ts';
import { workspaceSettings } from '../../../functions/settings.ts';
import { jobsOf } from '../../../local/cli/jobs.ts';
import { fileSweepTimes } from '../../../local/cli/sweep-times.ts';
import { temporaryDirectory } from '../support.ts';

const workspace = workspaceSettings.parse({
  name: 'w',
  baseUrl: 'http://127.0.0.1',
  authUrl: 'http://127.0.0.1',
  audience: 'a',
  credentials: 'c',
  processes: [{ id: 'p', interval: 10 }],
});

function jobsAt(now: number, file: string, outcome: PassReport['outcome'] = 'completed') {
  const runPass = async () => ({ mode: 'sweep', outcome, projects: 0, commits: 0, events: 0 }) as const;
  const parts = { runPass, sweeps: fileSweepTimes(file), clock: () => now };
  const credentials = { clientId: 'i', clientSecret: 's' };
  const [changes, sweep] = jobsOf({ workspace, credentials, sweepEvery: () => 1000 }, parts);
  if (changes === undefined || sweep === undefined) throw new Error('There are two jobs for one process.');
  return { changes, sweep };
}

describe('the jobs of a process', () => {
  test('look for changes at once, and sweep an interval after the first start, whatever the restarts', () => {
    const file = join(temporaryDirectory(), 'sweeps.json');
    expect(jobsAt(5000, file)).toMatchObject({
      changes: { firstAt: 5000, interval: 10 },
      sweep: { firstAt: 6000, interval: 1000 },
    });
    expect(jobsAt(5900, file).sweep.firstAt).toBe(6000);
    expect(jobsAt(9000, file).sweep.firstAt).toBe(6000);
  });

  test('count a sweep when it is completed, and go on at once with one that is not', async () => {
    const file = join(temporaryDirectory(), 'sweeps.json');
    jobsAt(5000, file);
    expect(await jobsAt(7000, file, 'unfinished').sweep.run()).toBe('again');
    expect(jobsAt(7000, file).sweep.firstAt).toBe(6000);
    expect(await jobsAt(7000, file, 'busy').sweep.run()).toBe('done');
    expect(jobsAt(7000, file).sweep.firstAt).toBe(6000);
    expect(await jobsAt(7000, file).sweep.run()).toBe('done');
    expect(jobsAt(7000, file).sweep.firstAt).toBe(8000);
  });

  test('begin anew where the times of sweeps can not be read', () => {
    const file = join(temporaryDirectory(), 'sweeps.json');
    writeFileSync(file, '{"w/p": "yesterday"');
    expect(jobsAt(5000, file).sweep.firstAt).toBe(6000);
  });
});
