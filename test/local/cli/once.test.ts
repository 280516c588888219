import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import type { PassReport } from '../../../functions/pass/run-pass.ts';
import { passOnce } from '../../../local/cli/passes.ts';
import type { RunPass } from '../../../local/cli/polling.ts';
import { createOutput } from '../../../local/terminal/output.ts';

type Answer = Error | Pick<PassReport, 'mode' | 'outcome'>;

async function passed(answers: Record<string, Answer[]>) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()] as unknown as NodeJS.WriteStream[];
  if (stdout === undefined || stderr === undefined) throw new Error('There are two streams.');
  const output = createOutput(
    { stdout, stderr },
    { json: false, log: 'text', timeZone: 'UTC', format: () => '', noColour: true, clock: () => 0 },
  );
  const runPass: RunPass = async ({ processId }, mode) => {
    expect(mode).toBe('changes');
    const answer = answers[processId]?.shift();
    if (answer === undefined) throw new Error('one pass too many');
    if (answer instanceof Error) throw answer;
    return { ...answer, projects: 2, commits: 1, events: 3 };
  };
  const well = await passOnce(
    Object.keys(answers).map(processId => ({ workspace: 'w', processId })),
    runPass,
    output,
  );
  return { well, said: `${stdout.read()}`.trim().split('\n') };
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
  expect(said).toEqual([
    '00:00:00  new: baseline complete',
    '00:00:00  known: 2 projects read, 3 events emitted',
  ]);
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
