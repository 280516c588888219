import { get } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startRunner } from '../../../local/cli/runner.ts';
import type { Health } from '../../../local/operate/health.ts';
import { startHealthServer } from '../../../local/operate/health.ts';
import { parseOptions } from '../../../local/settings/options.ts';
import { createOutput } from '../../../local/terminal/output.ts';
import { startSimulatedService } from '../../../simulator/server.ts';
import { environmentOf, until } from '../../kit/local/run.ts';
import { temporaryDirectory } from '../../kit/temporary.ts';

const WELL = { status: 'ok', late: [], processes: [], endpoints: [] } as const;

async function started(health: Parameters<typeof startHealthServer>[1] = async () => WELL) {
  const server = await startHealthServer(0, health);
  onTestFinished(server.stop);
  return server;
}

/** `fetch` lets nobody choose a Host. */
function statusFor(url: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { host } }, response => resolve(response.resume().statusCode)).once('error', reject);
  });
}

describe('GET /healthz', () => {
  it('is 200 when all is well, 503 when something is late or can not be known, with the reason as JSON', async () => {
    let answer = async (): Promise<Health> => WELL;
    const { url } = await started(() => answer());
    const well = await fetch(url);
    expect([well.status, well.headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(await well.json()).toEqual(WELL);
    answer = async () => ({ ...WELL, status: 'late', late: ['eu/p: late'] });
    const late = await fetch(url);
    expect(late.status).toBe(503);
    expect(await late.json()).toMatchObject({ late: ['eu/p: late'] });
    answer = () => Promise.reject(new Error('disk'));
    expect((await fetch(url)).status).toBe(503);
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(503);
  });

  it('answers nothing else, and nobody who asks by another name', async () => {
    const { url } = await started();
    expect((await fetch(url.replace('healthz', 'x'))).status).toBe(404);
    expect((await fetch(url, { method: 'POST' })).status).toBe(405);
    const { port } = new URL(url);
    for (const host of [`localhost:${port}`, `[::1]:${port}`, '127.0.0.1'])
      expect(await statusFor(url, host)).toBe(200);
    for (const host of [`evil.example.com:${port}`, '127.0.0.1.example.com', '@'])
      expect(await statusFor(url, host)).toBe(403);
  });

  it('is refused in one line when somebody else has the port', async () => {
    const { port } = new URL((await started()).url);
    await expect(startHealthServer(Number(port), async () => WELL)).rejects.toThrow(
      `Could not listen on port ${port} (EADDRINUSE). Choose another one with --health PORT.`,
    );
  });

  it('of a run turns to 503 when its service is away for long, and says what of', async () => {
    const service = await startSimulatedService();
    let ahead = 0;
    let words = '';
    const stream = { write: (text: string) => (words += text) } as unknown as NodeJS.WriteStream;
    const clock = () => Date.now() + ahead;
    const output = createOutput(
      { stdout: stream, stderr: stream },
      { json: true, log: 'text', format: () => '', noColour: true, clock },
    );
    const options = parseOptions(['--health', '0', '--interval', '100ms', '--data', temporaryDirectory()]);
    const runner = await startRunner({ options, environment: environmentOf(service), output, clock });
    onTestFinished(runner.stop);
    const [url = ''] = /http:\S+healthz/.exec(words) ?? [];
    runner.watch();
    const baselined = async () =>
      ((await (await fetch(url)).json()) as Health).processes.map(each => each.baselined);
    await expect.poll(baselined, { timeout: 15_000 }).toEqual([true, true]);
    const well = await fetch(url);
    expect(well.status).toBe(200);
    expect(await well.json()).toMatchObject({ status: 'ok', late: [] });
    await service.stop();
    // What was under way may still end well: from then on nothing does.
    await until(() => ['onboarding', 'launch'].every(id => words.includes(`Polling ${id} failed: `)));
    ahead = 120_000;
    const late = await fetch(url);
    expect(late.status).toBe(503);
    const { late: what } = (await late.json()) as { late: string[] };
    expect(what[0]).toMatch(/^127-0-0-1-\d+\/onboarding: no pass completed for 2 min: GET /);
    expect(what[1]).toMatch(/^127-0-0-1-\d+\/launch: /);
  });
});
