import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import type { Polled, PollReport } from '../../../functions/handlers/workspace-run.ts';
import { UNKNOWN_PROCESS } from '../../../functions/model/process-state.ts';
import type { PassReport } from '../../../functions/pass/run-pass.ts';
import { askedPass, passIn } from '../../../functions/schedule/pass-message.ts';
import { ServiceStatusError, TokenError } from '../../../functions/service/errors.ts';
import type { TickProgresses } from '../../../functions/store/store.ts';
import { PassFailures, passOnce } from '../../../local/cli/passes.ts';
import type { RunPass } from '../../../local/cli/polling.ts';
import { realSource } from '../../../local/settings/source.ts';
import { createOutput } from '../../../local/terminal/output.ts';
import { ownTime, soon } from '../../kit/local/own-time.ts';
import { startScheduling } from '../../kit/local/scheduling.ts';

const SECOND = 1000;
const report = { mode: 'changes', outcome: 'completed', projects: 0, commits: 0, events: 0 } as const;
const everyOne = (processes: readonly string[], one: Polled): PollReport => ({
  outcome: 'polled',
  processes: new Map(processes.map(id => [id, one])),
});

const NOTHING_KNOWN = {
  ofAll: async (all: readonly never[]) =>
    new Map(all.map(one => [one, { ...UNKNOWN_PROCESS, baselined: true }])),
} as unknown as TickProgresses;

/** `processes` with a `changes` pass every 5 s, and a sweep a day. */
function sourceOf(processes: string[]) {
  const addresses = { baseUrl: 'https://service.example/api', authUrl: 'https://auth.example/in' };
  const credentials = { audience: 'a', clientId: 'i', clientSecret: 's' };
  const changes = { fastest: 5 * SECOND, slowest: 5 * SECOND };
  const timing = { changes, sweep: 24 * 3600 * SECOND, overlap: SECOND };
  return realSource({ ...addresses, ...credentials, processes }, timing);
}

/** An output of a run, and the lines that were written to it. */
function written(log: 'text' | 'json', clock: () => number) {
  const stream = new PassThrough() as unknown as NodeJS.WriteStream & PassThrough;
  const options = { json: false, log, format: () => '', noColour: true, clock, timeZone: 'UTC' };
  const output = createOutput({ stdout: stream, stderr: stream }, options);
  return { output, lines: () => `${stream.read() ?? ''}`.trimEnd().split('\n') };
}

/** Runs passes of `processes` every 5 s against a service that fails until `failsUntil` (s), and returns the lines of the log. */
async function logOf(
  setting: { processes: string[]; error: Error; failsUntil: number; progress?: TickProgresses },
  log: 'text' | 'json' = 'text',
): Promise<string[]> {
  const { processes, error, failsUntil, progress = NOTHING_KNOWN } = setting;
  const time = ownTime(Date.UTC(2026, 10, 22));
  const began = time.clock();
  const { output, lines } = written(log, time.clock);
  await startScheduling({
    source: sourceOf(processes),
    poll: async ({ processes }) =>
      everyOne(processes, time.clock() - began < failsUntil * SECOND ? { error } : { report }),
    ...{ progress, time, output },
  });
  while (time.clock() - began < 180 * SECOND) await time.step(2);
  return lines();
}

test('an outage is logged at once for each process, then in a line a minute, then its end with duration and number', async () => {
  const request = 'GET /api/processes/p1/projects?first=200&after=c';
  const error = new ServiceStatusError(request, 500, 'the service failed.');
  const lines = await logOf({ processes: ['p1'], error, failsUntil: 120 });
  const why = `${request}: status 500: the service failed`;
  const again = /^00:01:0\d {2}Polling p1 failed: 14 failed attempts in 6\d s; latest: .*\. Will retry\.$/;
  expect(lines).toEqual([
    `00:00:00  Polling p1 failed: ${why}. Will retry.`,
    expect.stringMatching(again),
    expect.stringMatching(/^00:02:0\d {2}Polling p1 works again, after 25 failed attempts in 2 min$/),
  ]);
  const both = await logOf({ processes: ['p1', 'p2'], error, failsUntil: 120 });
  expect(both).toHaveLength(6);
});

test('with --log json a failure has process, mode, status and address, without the query, as fields', async () => {
  const refused = new ServiceStatusError('POST /in/oauth/token', 401, 'refused');
  const cases: [Error, object][] = [
    [
      new ServiceStatusError('GET /api/processes/p1/projects?first=2&after=c', 404, 'no'),
      { status: 404, url: 'https://service.example/api/processes/p1/projects' },
    ],
    [new TokenError(refused), { status: 401, url: 'https://auth.example/in/oauth/token' }],
    [new Error('the disk is full'), {}],
  ];
  for (const [error, fields] of cases) {
    const [first, second] = await logOf({ processes: ['p1'], error, failsUntil: 0.1 }, 'json');
    const about = { workspace: 'service-example', process: 'p1', mode: 'changes' };
    expect(JSON.parse(first as string)).toEqual({
      time: '2026-11-22T00:00:00.000Z',
      level: 'warn',
      code: 'pass.failing',
      message: `Polling p1 failed: ${error.message}. Will retry.`,
      ...{ ...about, failures: 1, ...fields },
    });
    expect(JSON.parse(second as string)).toMatchObject({ level: 'info', ...about, failures: 1 });
  }
});

test('what fails at each tick is logged once a minute', async () => {
  const lines = await logOf({
    ...{ processes: ['p1'], error: new Error('none'), failsUntil: 0 },
    progress: { ofAll: () => Promise.reject(new Error('the disk is full')) },
  });
  const why =
    'Could not read the progress of the processes; their passes start without it. The next tick retries. ' +
    '(error: Error: the disk is full)';
  expect(lines.slice(0, 3)).toEqual([`00:00:00  ${why}`, `00:01:00  ${why}`, `00:02:00  ${why}`]);
  expect(lines.length).toBeLessThan(5);
});

test('the message of a process that only an earlier run watched is deleted, and not reported as a failure', async () => {
  const polled: string[] = [];
  const { queues } = await startScheduling({
    source: { watched: [] },
    poll: async ({ processes }) => {
      polled.push(...processes);
      return everyOne(processes, { report });
    },
    progress: { ofAll: async () => new Map() },
    time: ownTime(Date.UTC(2026, 10, 22)),
  });
  const gone = askedPass({ workspace: 'w', processId: 'gone' }, 'sweep', Date.UTC(2026, 10, 22));
  await queues.passes.send([passIn(gone)]);
  await soon(() => expect(queues.passes.groups()).toEqual([]));
  expect(polled).toEqual([]);
});

test('a sweep begins after the first changes pass of its process, even if that one and all later ones fail', async () => {
  const time = ownTime(Date.UTC(2026, 10, 22));
  const modes: string[] = [];
  const { queues } = await startScheduling({
    source: sourceOf(['p1']),
    poll: async ({ mode, processes }) => {
      if (mode === 'changes') await time.sleep(SECOND);
      modes.push(mode);
      return everyOne(processes, mode === 'sweep' ? { report } : { error: new Error('no audit log') });
    },
    ...{ progress: NOTHING_KNOWN, time },
  });
  const process = { workspace: 'service-example', processId: 'p1' };
  await queues.passes.send([passIn(askedPass(process, 'sweep', time.clock()))]);
  for (let steps = 0; steps < 50 && !modes.includes('sweep'); steps++) await time.step(2);
  expect(modes.slice(0, 1)).toEqual(['changes']);
  expect(modes).toContain('sweep');
});

test('a pass of one mode that works does not end the outage of the other, and a clock that is set back does not silence it', () => {
  let now = 100_000;
  const lines: string[] = [];
  const write = (text: string) => void lines.push(text);
  const failures = new PassFailures({ info: write, warn: write }, [], () => now);
  const process = { workspace: 'w', processId: 'p1' };
  failures.failed({ process, mode: 'sweep' }, new Error('away'));
  failures.completed({ process, mode: 'changes' });
  now = 40_000;
  failures.failed({ process, mode: 'sweep' }, new Error('away'));
  failures.completed({ process, mode: 'sweep' });
  failures.completed({ process, mode: 'sweep' });
  now = 200_000;
  failures.failed({ process, mode: 'sweep' }, new Error('away again'));
  expect(lines).toEqual([
    'Sweep of p1 failed: away. Will retry.',
    'Sweep of p1 failed: 2 failed attempts in 0 ms; latest: away. Will retry.',
    'Sweep of p1 works again, after 2 failed attempts in 0 ms',
    'Sweep of p1 failed: away again. Will retry.',
  ]);
});

type Answer = Error | Pick<PassReport, 'mode' | 'outcome'>;

async function passed(answers: Record<string, Answer[]>) {
  const { output, lines } = written('text', () => 0);
  const runPass: RunPass = async ({ processId }, mode) => {
    expect(mode).toBe('changes');
    const answer = answers[processId]?.shift();
    if (answer === undefined) throw new Error('one pass too many');
    if (answer instanceof Error) throw answer;
    return { ...answer, projects: 2, commits: 1, events: 3 };
  };
  const processes = Object.keys(answers).map(processId => ({ workspace: 'w', processId }));
  const well = await passOnce(processes, runPass, output);
  return { well, said: lines() };
}

test('one pass of each process goes on until it is complete, and behind its baseline', async () => {
  const { well, said } = await passed({
    new: [
      { mode: 'baseline', outcome: 'unfinished' },
      { mode: 'baseline', outcome: 'completed' },
      { mode: 'changes', outcome: 'completed' },
    ],
    known: [{ mode: 'changes', outcome: 'completed' }],
  });
  expect(well).toBe(true);
  const known = '00:00:00  known: 2 projects read, 3 events emitted';
  expect(said).toEqual(['00:00:00  new: baseline complete', known]);
});

test('a process that fails, or that another poller works on, is told and spoils the end, but not the others', async () => {
  const { well, said } = await passed({
    broken: [new Error('the service is away')],
    taken: [{ mode: 'changes', outcome: 'busy' }],
    fine: [{ mode: 'changes', outcome: 'completed' }],
  });
  expect(well).toBe(false);
  expect(said).toEqual([
    '00:00:00  broken: the service is away',
    '00:00:00  taken: another pass of this process is running; try again in a minute',
    '00:00:00  fine: 2 projects read, 3 events emitted',
  ]);
});
