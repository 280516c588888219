import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { open } from '../../cli/context/runner.ts';
import type { ChangeEvent } from '../../functions/model/event.ts';
import { ADDRESS_FILE } from '../../local/operate/address.ts';
import { type SimulatedService, startSimulatedService } from '../../simulator/server.ts';
import { run as runOver } from '../kit/cli/world.ts';
import { answer, startReceiver } from '../kit/delivery/receiver.ts';
import { begin, environmentOf } from '../kit/local/run.ts';

/** What an operator does on a day, each by one command, against one run that goes on: over its server, which the command finds by the
 *  data directory. The tests build on each other, in this order. */
const directory = mkdtempSync(join(tmpdir(), 'changewire-test-'));
const data = join(directory, '.changewire');
let service: SimulatedService;
let started: ReturnType<typeof begin>;
let isBroken = false;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
/** One that the command line of the run names. */
let fixed: Awaited<ReturnType<typeof startReceiver>>;

/** The process, a project of it and a task of that. */
const [PROCESS, OTHER] = ['launch', 'onboarding'];
const project = () => service.workspace.projects(PROCESS)[0]?.id as string;
const task = () => service.workspace.tasks(PROCESS, project())[0]?.id as string;
const rename = (name: string) => service.workspace.updateTask(PROCESS, project(), task(), { name });

beforeAll(async () => {
  service = await startSimulatedService();
  receiver = await startReceiver((response, received) =>
    isBroken ? answer(500, {}, 'no database')(response, received) : answer(204)(response, received),
  );
  fixed = await startReceiver(answer(204));
  const args = `--interval 200ms --sweep-interval 1h --overlap 2s --json --webhook ${fixed.url} --name fixed`;
  started = begin(directory, args, environmentOf(service));
  await eventually(async () => expect(processOf(await status(), PROCESS)?.state).toBe('healthy'));
  await eventually(async () => expect(processOf(await status(), OTHER)?.state).toBe('healthy'));
});
afterAll(async () => {
  await started?.end();
  await service?.stop();
  await receiver?.stop();
  await fixed?.stop();
  rmSync(directory, { recursive: true, force: true });
});

function eventually(check: () => Promise<void>): Promise<void> {
  return vi.waitFor(check, { timeout: 60_000, interval: 50 });
}

/** One command line. */
async function changewire(line: string, secrets: readonly string[] = []) {
  const setting = { open, clock: Date.now, secrets };
  const { code, out, err } = await runOver([...line.split(' '), '--data', data], setting);
  return { code, out, err };
}

/** A command line that fails so, and says nothing else. */
async function expectRefused(line: string, code: 1 | 2, why: RegExp): Promise<void> {
  expect(await changewire(line)).toMatchObject({ code, out: '', err: expect.stringMatching(why) });
}

const linesOf = <Line>(out: string) =>
  Array.from(out.split('\n').filter(Boolean), text => JSON.parse(text) as Line);

/** What a command that must succeed tells programs. */
async function json<Line>(line: string): Promise<Line[]> {
  const { code, out, err } = await changewire(`${line} --json`);
  expect([code, err]).toEqual([0, '']);
  return linesOf(out);
}

interface StatusLine {
  readonly run?: { readonly isRunning: boolean };
  readonly process?: {
    readonly process: string;
    readonly state: string;
    readonly hold?: { readonly projects: number };
  };
}
const status = async () => linesOf<StatusLine>((await changewire('status --json')).out);
const processOf = (lines: readonly StatusLine[], name: string) =>
  lines.flatMap(({ process }) => (process?.process === name ? [process] : []))[0];

const ids = () => receiver.received.map(({ headers }) => headers['webhook-id']);
/** The last event that named the task so. */
async function eventNaming(name: string): Promise<ChangeEvent> {
  let found: ChangeEvent | undefined;
  await eventually(async () => {
    const events = await json<ChangeEvent>(`events --process ${PROCESS} --project ${project()} --field name`);
    found = events.find(event => JSON.stringify(event.data).includes(name));
    expect(found).toBeDefined();
  });
  return found as ChangeEvent;
}

describe('on a day', () => {
  let id = '';

  it('the status says how fresh each process is', async () => {
    const { code, out } = await changewire('status');
    expect(code).toBe(0);
    expect(out).toMatch(
      /^This machine\nConsole: http:\/\/127\.0\.0\.1:\d+ \(to open it: npx changewire console --open --data /,
    );
    expect(out).toMatch(/\/launch +healthy +\d+ +\d{4}-/);
    const console = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await status())[0]).toMatchObject({
      run: { isRunning: true, console, disk: { size: expect.any(Number), isLow: expect.any(Boolean) } },
    });
  });

  it('an endpoint is added, with its address from stdin, and tested', async () => {
    const { code, out } = await changewire('endpoints add crm --webhook -', [receiver.url]);
    expect(code).toBe(0);
    rename('Right after it was added');
    const [, secret = ''] = /^Signing secret: (whsec_\S+) \(shown only once\)$/m.exec(out) ?? [];
    const tested = await changewire('endpoints test crm');
    expect(tested.code).toBe(0);
    expect(tested.out).toMatch(/^crm: answered 204 in \d+ ms \(http:\/\/127\.0\.0\.1:\d+\)\n$/);
    const test = receiver.received.find(one => one.body.includes('"changewire.test"'));
    const { body = '', headers = {} } = test ?? {};
    expect(new Webhook(secret).verify(body, headers)).toMatchObject({ type: 'changewire.test' });
    await eventually(async () =>
      expect(receiver.received.some(one => one.body.includes('Right after it was added'))).toBe(true),
    );
  });

  it('an event is found, and its way is told', async () => {
    rename('Find me');
    ({ id } = await eventNaming('Find me'));
    await eventually(async () => {
      const { out } = await changewire(`trace ${id}`);
      expect(out).toMatch(/published +yes/);
      expect(out).toMatch(/crm +delivered/);
    });
    expect((await changewire(`events --since 1m --field name`)).out).toContain(id);
  });

  it('why a webhook failed is told by its attempts, and by the way of its event', async () => {
    isBroken = true;
    rename('It breaks');
    const { id: failed } = await eventNaming('It breaks');
    await eventually(async () => {
      expect((await changewire(`trace ${failed}`)).out).toMatch(/crm +waiting/);
      expect((await changewire('endpoints attempts crm --limit 1')).out).toContain('no database');
    });
    const told = await changewire('endpoints test crm');
    expect(told.code).toBe(1);
    expect(told.out).toMatch(/^crm: answered 500.* in \d+ ms \(http:\/\/127\.0\.0\.1:\d+\): no database\n$/);
    isBroken = false;
    expect(await changewire(`resend ${failed} --to crm`)).toMatchObject({ code: 0 });
    await eventually(async () => expect((await changewire(`trace ${failed}`)).out).toMatch(/crm +delivered/));
    expect(ids().filter(one => one === failed).length).toBeGreaterThan(1);
  });

  it('all of a time is sent once more to one endpoint', async () => {
    type Replay = { readonly events: { readonly atLeast: number } };
    const [replay] = await json<Replay>('replay --to crm --since 1h --dry-run');
    const { events: expected } = replay as Replay;
    expect(expected.atLeast).toBeGreaterThan(2);
    const before = receiver.received.length;
    expect(await changewire('replay --to crm --since 1h --yes')).toMatchObject({ code: 0 });
    await eventually(async () => expect(receiver.received.length).toBe(before + expected.atLeast));
  });

  it('deletions that were held are released', async () => {
    const all = service.workspace.projects(OTHER).map(each => each.id as string);
    for (const gone of all.slice(0, 15)) service.workspace.deleteProject(OTHER, gone);
    await changewire(`sweep ${OTHER}`);
    await eventually(async () => {
      expect(processOf(await status(), OTHER)).toMatchObject({ state: 'on-hold', hold: { projects: 15 } });
    });
    expect((await changewire('status')).out).toContain(`changewire release ${OTHER}`);
    expect(await changewire(`release ${OTHER}`)).toMatchObject({ code: 2 });
    expect((await changewire(`release ${OTHER} --dry-run`)).out).toMatch(/15 projects/);
    expect(await changewire(`release ${OTHER} --yes`)).toMatchObject({ code: 0 });
    await changewire(`sweep ${OTHER}`);
    await eventually(async () => {
      const events = await json<ChangeEvent>(`events --process ${OTHER} --type project.deleted --limit all`);
      expect(events.length).toBe(15);
      expect(processOf(await status(), OTHER)).toMatchObject({ state: 'healthy' });
    });
  });

  it('a secret is changed, an endpoint is changed and removed, and who did it is told', async () => {
    const rotated = await changewire('endpoints rotate-secret crm');
    expect(rotated.out).toMatch(/ New secret: whsec_\S+ \(shown only once\)\n/);
    expect(await changewire('endpoints rotate-secret crm --finish')).toMatchObject({ code: 0 });
    expect(await changewire('endpoints update crm --filter events=task.updated')).toMatchObject({ code: 0 });
    expect((await changewire('endpoints show crm')).out).toContain('{"events":["task.updated"]}');
    expect(await changewire('endpoints remove crm')).toMatchObject({ code: 2 });
    expect(await changewire('endpoints remove crm --yes')).toMatchObject({ code: 0 });
    expect((await changewire('endpoints list')).out).not.toContain('crm');
    const { out } = await changewire('actions --endpoint crm --limit all');
    for (const done of ['add-endpoint', 'replay', 'rotate-secret', 'remove-endpoint'])
      expect(out).toContain(done);
    expect((await changewire(`actions --process ${OTHER}`)).out).toMatch(/release/);
    expect(out).not.toMatch(/whsec_|hush/);
  });

  it('one of the command line of the run is tested and paused as all are; its address and secret are changed there', async () => {
    expect(await changewire('endpoints test fixed')).toMatchObject({ code: 0 });
    expect(fixed.received.some(({ body }) => body.includes('"changewire.test"'))).toBe(true);
    const told = (out: RegExp) => ({ code: 0, out: expect.stringMatching(out) });
    expect(await changewire('endpoints pause fixed')).toMatchObject(told(/^Paused fixed\./));
    expect(await changewire('endpoints resume fixed')).toMatchObject(told(/^Resumed fixed\./));
    for (const [line, advice] of Object.entries({
      [`update fixed --url ${receiver.url}`]: /restart with another URL on the command line/,
      'update fixed --per-second 3': /on the command line of the run: restart/,
      'rotate-secret fixed':
        /restart with --webhook-secret NEW --webhook-secret OLD after its --webhook; .* is in fixed\.secret/,
      'remove fixed --yes':
        /on the command line of the run: restart without it\. Until then, you can pause it/,
    }))
      await expectRefused(`endpoints ${line}`, 1, advice);
    const configured = /Remove it from the configuration, start again, then forget it/;
    await expectRefused(`forget ${PROCESS} --yes`, 1, configured);
  });

  it('the doctor asks the service of the run', async () => {
    // It ends at once where it can read nothing; a whole one is in test/local/operate/doctor.test.ts.
    const denied = service.fail({ times: 1_000, fault: { status: 404 } });
    const { out } = await changewire(`doctor ${PROCESS}`);
    denied.cancel();
    expect(out).toMatch(/^[\w-]+\/launch\n\n/);
    expect(out).toContain('Could not get a token');
  });
});

describe('when the run has stopped', () => {
  it('its address is gone, and what it left is told by the store itself', async () => {
    started.interrupt();
    expect(await started.ended()).toBe(0);
    expect(existsSync(join(data, ADDRESS_FILE))).toBe(false);
    const [{ run } = { run: undefined }] = await status();
    expect(run).toMatchObject({ isRunning: false });
    expect((await changewire('events --limit 1')).out).not.toBe('');
    expect(await changewire('verify')).toMatchObject({ code: 0, out: expect.stringMatching(/ ok\n/) });
    await expectRefused(`sweep ${PROCESS}`, 1, /Changewire is not running/);
  });
});
