import { createServer, get, type ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { workspaceSettings } from '../../functions/config/read.ts';
import type { Disk } from '../../functions/model/disk.ts';
import type { ProcessState } from '../../functions/model/process-state.ts';
import { openDatabase } from '../../functions/store/sqlite/database.ts';
import { sqliteEndpointRows } from '../../functions/store/sqlite/endpoints.ts';
import { sqliteJournal } from '../../functions/store/sqlite/journal.ts';
import { DELIVERIES_SCHEMA, SNAPSHOTS_SCHEMA } from '../../functions/store/sqlite/schema.ts';
import { sqliteDeliveries, sqliteSnapshots } from '../../functions/store/sqlite/store.ts';
import { sqliteWorkspaceRows } from '../../functions/store/sqlite/workspaces.ts';
import { type Health, healthOf, PassWatch, startHealthServer } from '../../local/operate/health.ts';
import { Metrics } from '../../local/operate/metrics.ts';
import { startSimulatedService } from '../../simulator/server.ts';
import { listenInTest } from '../kit/listen-in-test.ts';
import { environmentOf, run as startRun, until } from '../kit/local/run.ts';
import { AT, delivery } from '../kit/store/delivery.ts';
import { event } from '../kit/store/subject.ts';
import { temporaryDirectory } from '../kit/temporary.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const KEY = { workspace: 'eu', processId: 'p' };
const iso = new Date(AT).toISOString();

/** A run that began at AT and looks every minute at the slowest, and wholly every hour. */
function run() {
  const state: { now: number; disk?: Disk } = { now: AT };
  const database = openDatabase(':memory:', [SNAPSHOTS_SCHEMA, DELIVERIES_SCHEMA]);
  const workspace = workspaceSettings({
    name: 'eu',
    baseUrl: 'https://api.example.com',
    authUrl: 'https://auth.example.com',
    audience: 'a',
    credentials: 'x',
    processes: [{ id: 'p', changes: { fastest: 10_000, slowest: MINUTE }, sweep: HOUR, overlap: 1000 }],
  });
  const credentials = { clientId: 'a', clientSecret: 'b' };
  const passes = new PassWatch(AT);
  const snapshots = sqliteSnapshots(database);
  const parts = {
    watched: [{ workspace, credentials }],
    passes,
    snapshots,
    workspaces: sqliteWorkspaceRows(database),
    feed: sqliteJournal(database),
    deliveries: sqliteDeliveries(database),
    endpoints: sqliteEndpointRows(database),
    receivers: [{ label: 'planner', kept: 'crm' }],
    disk: async () => state.disk,
    clock: () => state.now,
  };
  const write = async (change: Partial<ProcessState>) => {
    const lease = await snapshots.takeLease(KEY, { mode: 'changes', owner: 'a', now: 0, until: 1 });
    if (lease) await snapshots.finish(KEY, lease, change);
  };
  const at = (ms: number) => {
    state.now = AT + ms;
    return healthOf(parts);
  };
  return { parts, passes, snapshots, state, write, at };
}

describe('the health of a run', () => {
  it('is well while a baseline moves on, and late when it does not, with the reason', async () => {
    const { passes, at } = run();
    expect(await at(5 * MINUTE)).toEqual({
      status: 'ok',
      late: [],
      processes: [{ workspace: 'eu', process: 'p', baselined: false, skipped: 0 }],
      endpoints: [{ name: 'planner', undelivered: 0, dead: 0 }],
    });
    passes.failed(KEY, 'changes', 'The service answered 503');
    expect(await at(6 * MINUTE)).toMatchObject({
      status: 'late',
      late: ['eu/p: no progress of the baseline for 6 min: The service answered 503'],
      processes: [{ failure: 'The service answered 503' }],
    });
    const polled = [3, 3, 4].map(done => {
      passes.moved({ ...KEY, mode: 'baseline', done }, AT + 6 * MINUTE);
      return passes.arePolled([KEY], AT + 6 * MINUTE);
    });
    expect(polled).toEqual([false, false, true]);
    expect(await at(11 * MINUTE)).toMatchObject({ status: 'ok' });
  });

  it('is late when no pass completed for five intervals; what was late at the start has time', async () => {
    const { passes, write, at } = run();
    await write({ baselined: true, completedAt: AT - 9 * HOUR });
    expect(await at(5 * MINUTE)).toMatchObject({ status: 'ok' });
    // A pass that fails at its end, each time.
    passes.moved(KEY, AT + 4 * MINUTE);
    expect((await at(5 * MINUTE + 1)).late).toEqual(['eu/p: no pass completed for 5 min']);
    await write({ completedAt: AT + 4 * MINUTE });
    const well = await at(9 * MINUTE);
    expect(well).toMatchObject({ status: 'ok', processes: [{ baselined: true }] });
    expect(well.processes[0]?.completedAt).toBe(new Date(AT + 4 * MINUTE).toISOString());
  });

  it('is late when no sweep completed for two intervals, also when the changes are told', async () => {
    const { passes, write, at } = run();
    await write({ baselined: true, completedAt: AT + 3 * HOUR + 4 * MINUTE });
    passes.passed(KEY, 'sweep', AT + HOUR);
    passes.passed(KEY, 'changes', AT + 2 * HOUR);
    passes.failed(KEY, 'sweep', 'no time');
    const failing = { status: 'ok', processes: [{ failure: 'no time' }] };
    expect(await at(3 * HOUR + 5 * MINUTE)).toMatchObject(failing);
    expect((await at(3 * HOUR + 6 * MINUTE)).late).toEqual(['eu/p: no sweep completed for 2 h: no time']);
    passes.passed(KEY, 'sweep', AT + 3 * HOUR);
    await write({ completedAt: AT + 4 * HOUR });
    expect(await at(4 * HOUR)).toMatchObject({ status: 'ok' });
  });

  it('is late when the clock was set back and no pass was completed since, and knows no time to come', async () => {
    const { passes, write, at } = run();
    await write({ baselined: true, completedAt: AT });
    passes.passed(KEY, 'changes', AT);
    passes.passed(KEY, 'sweep', AT);
    const set = await at(-2 * HOUR);
    expect(set).toMatchObject({ status: 'ok', late: [] });
    expect(set.processes[0]).not.toHaveProperty('completedAt');
    expect((await at(-2 * HOUR + 6 * MINUTE)).late).toEqual(['eu/p: no pass completed for 6 min']);
    await write({ completedAt: AT - 2 * HOUR + 6 * MINUTE });
    expect((await at(-2 * HOUR + 7 * MINUTE)).late).toEqual([]);
    expect((await at(HOUR)).late).toContainEqual('eu/p: no sweep completed for 3 h');
  });

  it('is late while the disk is low, before it is full', async () => {
    const { state, write, at } = run();
    await write({ baselined: true, completedAt: AT });
    state.disk = { free: 2e9, size: 40e9, data: 1e6 };
    expect(await at(0)).toMatchObject({ status: 'ok', disk: state.disk });
    state.disk = { free: 0.9e9, size: 40e9, data: 1e6 };
    const late = [expect.stringMatching(/^The disk has 900 MB free of 40 GB\. /)];
    expect(await at(0)).toMatchObject({ status: 'late', late, disk: state.disk });
  });

  it('is late when events are committed and not published', async () => {
    const { snapshots, parts, write, at } = run();
    await write({ baselined: true, completedAt: AT + 5 * MINUTE });
    const request = { events: [event(AT)], version: AT, at: AT };
    await snapshots.announce(KEY, { announced: 0, state: {}, request });
    expect(await at(5 * MINUTE)).toMatchObject({ status: 'ok', unpublishedSince: iso });
    expect((await at(6 * MINUTE)).late).toEqual(['events: not published for 6 min']);
    parts.feed.moveTo('publish', 1);
    const well = await at(6 * MINUTE);
    expect(well.late).toEqual([]);
    expect(well).not.toHaveProperty('unpublishedSince');
  });

  it('knows the endpoints that were added while the run goes on, or in an earlier one', async () => {
    const { parts, at } = run();
    const settings = { name: 'added', kind: 'webhook' } as const;
    await parts.endpoints.change('added', () => ({ name: 'added', settings, health: {} }));
    await parts.endpoints.change('taken-out', () => ({ name: 'taken-out', health: {} }));
    await parts.deliveries.add([delivery('e1', { endpoint: 'added' })]);
    expect((await at(MINUTE)).endpoints).toMatchObject([
      { name: 'planner', undelivered: 0 },
      { name: 'added', undelivered: 1 },
    ]);
    await parts.endpoints.change('added', () => 'removed');
    expect((await at(MINUTE)).endpoints).toHaveLength(1);
  });

  it('tells what waits for an endpoint, and why it gets nothing more; that makes nothing late', async () => {
    const { snapshots, parts, write, at } = run();
    await write({ hold: { since: AT, missing: 7 } });
    const recheck = { cause: 'unreadable', since: 0, foundAt: AT, reason: 'r' } as const;
    const owed = [false, true].map((isReported, index) => {
      return { projectId: `p${index}`, before: undefined, after: { ...recheck, isReported } };
    });
    await snapshots.writeRechecks(KEY, owed);
    await parts.deliveries.add(['e1', 'e2'].map(id => delivery(id)));
    const [first] = await parts.deliveries.due('crm', AT, 1);
    await parts.deliveries.deadLetter('crm', first?.place ?? '', { at: AT, reason: 'answered 400' });
    const stopped = { at: AT, reason: 'answered 410' };
    const health = { stopped, failing: { since: AT, probes: 2 }, paused: { at: AT } };
    await parts.endpoints.change('crm', () => ({ name: 'crm', health }));
    const endpoint = { name: 'planner', undelivered: 1, since: iso, dead: 1, stopped: 'answered 410' };
    expect(await at(MINUTE)).toMatchObject({
      ...{ status: 'ok', processes: [{ onHoldSince: iso, skipped: 1 }], endpoints: [endpoint] },
    });
  });
});

const METRICS = new Metrics('0.0.0', Date.now);
const WELL = { status: 'ok', late: [], processes: [], endpoints: [] } as const;

async function started(health: Parameters<typeof startHealthServer>[1] = async () => WELL) {
  const server = await startHealthServer(0, health, METRICS);
  onTestFinished(server.stop);
  return server;
}

/** `fetch` lets nobody choose a Host. */
function statusFor(url: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { host } }, response => resolve(response.resume().statusCode)).once('error', reject);
  });
}

/** A run over a simulated service in which nothing changes by itself, with heartbeats. */
async function startedRun(heartbeat: string) {
  const service = await startSimulatedService();
  onTestFinished(service.stop);
  let ahead = 0;
  const clock = () => Date.now() + ahead;
  const environment = { ...environmentOf(service), HEARTBEAT_URL: heartbeat };
  const args = '--health 0 --interval 100ms --json --heartbeat';
  const { stderr } = startRun(temporaryDirectory(), args, environment, { clock });
  await until(() => stderr().includes('healthz'));
  const [url = ''] = /http:\S+healthz/.exec(stderr()) ?? [];
  const jump = (ms: number) => {
    ahead += ms;
    return clock();
  };
  return { service, url, jump, words: stderr };
}

async function baselinesAt(url: string): Promise<boolean[]> {
  return ((await (await fetch(url)).json()) as Health).processes.map(({ baselined }) => baselined);
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
    await expect(startHealthServer(Number(port), async () => WELL, METRICS)).rejects.toThrow(
      `Could not listen on port ${port} (EADDRINUSE). Choose another one with --health PORT.`,
    );
  });

  it('of a run is 200 while nothing changes, with heartbeats, and 503 with the reason while its service refuses', async () => {
    const beats: ServerResponse[] = [];
    const monitor = await listenInTest(createServer((_, response) => beats.push(response)));
    const { service, url, jump, words } = await startedRun(`http://127.0.0.1:${monitor.port}/hush`);
    await expect.poll(() => baselinesAt(url), { timeout: 15_000 }).toEqual([true, true]);
    await until(() => beats.length === 1);
    const lastPasses = async () => {
      const metrics = await (await fetch(url.replace('healthz', 'metrics'))).text();
      const samples = metrics.matchAll(/^changewire_pass_completed_time_seconds\S+ (.+)$/gm);
      return Math.min(...[...samples].map(([, time]) => Number(time) * 1000));
    };
    // In steps in which no pass becomes overdue: an overdue one would not be idle.
    for (let steps = 0; steps < 2; steps++)
      await expect.poll(lastPasses, { timeout: 15_000 }).toBeGreaterThanOrEqual(jump(MINUTE / 2));
    const well = await fetch(url);
    expect([well.status, await well.json()]).toMatchObject([200, { status: 'ok', late: [] }]);
    // The first beat was sent a minute ago: once it is answered, the second one is due.
    beats[0]?.end();
    await until(() => beats.length === 2);
    beats[1]?.end();
    expect(words()).not.toContain('hush');
    service.fail({ times: 1_000, fault: { status: 403 } });
    // A pass under way may still end well: from then on none does.
    await until(() => ['onboarding', 'launch'].every(id => words().includes(`Polling ${id} failed: `)));
    jump(2.5 * MINUTE);
    const late = await fetch(url);
    expect(late.status).toBe(503);
    const { late: what } = (await late.json()) as { late: string[] };
    expect(what[0]).toMatch(/^127-0-0-1-\d+\/onboarding: no pass completed for 3 min: GET /);
    expect(what[1]).toMatch(/^127-0-0-1-\d+\/launch: /);
  });
});
