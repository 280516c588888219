import dns from 'node:dns';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { startSimulatedService } from '../../simulator/server.ts';
import { environmentOf, run } from '../kit/local/run.ts';
import { temporaryDirectory } from '../kit/temporary.ts';

let directory: string;
beforeEach(() => {
  directory = temporaryDirectory();
});

/** The exit code and the output of a run that ends by itself. */
async function ended(...[args, environment, options]: [string, Record<string, string>?, object?]) {
  const only = run(directory, args, environment, options);
  return { code: await only.ended(), stdout: only.stdout(), stderr: only.stderr() };
}

describe('the command line', () => {
  test.each([
    [
      '--once',
      { SERVICE_BASE_URL: 'http://127.0.0.1:1' },
      /^SERVICE_AUTH_URL, SERVICE_AUDIENCE, .* are not set/,
    ],
    [
      '--once --memory --webhook http://127.0.0.1:9/ --filter processes=lunch',
      {},
      '--filter processes[0]: unknown process. Did you mean launch?',
    ],
    ['--slack - --once --memory', {}, /^--slack takes an https URL, or an http URL of this machine/],
  ])('%s is refused with exit code 2, in one line', async (args, environment, message) => {
    const { code, stdout, stderr } = await ended(args, environment, { input: 'http://10.0.0.1/hush\n' });
    expect([code, stdout]).toEqual([2, '']);
    const [, text = ''] = /^changewire: ([^\n]+)\n$/.exec(stderr) ?? [];
    if (typeof message === 'string') expect(text).toBe(message);
    else expect(text).toMatch(message);
    expect(text).not.toContain('hush');
    expect(readdirSync(directory)).toEqual([]);
  });

  test('starts when the name of an endpoint leads to a private address, and warns', async () => {
    const lookup = vi
      .spyOn(dns.promises, 'lookup')
      .mockResolvedValue([{ address: '10.0.0.1', family: 4 }] as never);
    onTestFinished(() => lookup.mockRestore());
    const { code, stdout } = await ended('--once --memory --slack https://hooks.example.com/hush');
    expect([code, stdout]).toEqual([0, expect.stringContaining('--slack takes a URL with a public address')]);
  });

  test('--log json writes nothing but JSON, also when the run fails', async () => {
    const levels = (text: string) => Array.from(text.trim().split('\n'), line => JSON.parse(line).level);
    const { code, stdout, stderr } = await ended('--once --memory --log json');
    expect([code, stderr]).toEqual([0, '']);
    expect(new Set(levels(stdout))).toEqual(new Set(['info']));
    const [first] = stdout.split('\n');
    expect(JSON.parse(first as string)).toMatchObject({
      message: 'Changewire watches a simulated service: onboarding, launch',
      processes: [{ process: 'onboarding' }, { process: 'launch' }],
      once: true,
    });
    expect(stdout).toContain('"message":"Reading onboarding for the first time: 30 of 30 projects"');
    writeFileSync(join(directory, 'data'), '');
    const refused = await ended('--once --log json --data data');
    expect([refused.code, refused.stderr, levels(refused.stdout)]).toEqual([1, '', ['error']]);
  });
});

describe('a run of a real service', () => {
  test('that refuses fails with --once, and each process says so once', async () => {
    const service = await startSimulatedService();
    onTestFinished(service.stop);
    service.fail({ times: 1_000, fault: { status: 403 } });
    const failed = await ended('--once --json', environmentOf(service));
    expect([failed.code, failed.stdout]).toEqual([1, '']);
    expect(failed.stderr.match(/^\d\d:\d\d:\d\d {2}onboarding: /gm)).toHaveLength(1);
  });
});
