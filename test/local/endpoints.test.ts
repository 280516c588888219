import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { ChangeEvent } from '../../functions/changes/event.ts';
import { parseOptions } from '../../local/cli/options.ts';
import { wantedEndpoints } from '../../local/cli/wanted-endpoints.ts';
import { answer, hang, type Reaction, type Received, startReceiver } from '../endpoints/receiver.ts';
import { environmentOf, launch, run, until } from './main-support.ts';
import { startResettableService } from './resettable-service.ts';
import { temporaryDirectory } from './support.ts';

const OLD = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const NEW = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;

let directory: string;
let service: Awaited<ReturnType<typeof startResettableService>>;
/** What a first run left, which made the baseline. */
const first = mkdtempSync(join(tmpdir(), 'changewire-test-'));
beforeAll(async () => {
  service = await startResettableService();
  const only = launch(first, '--once', environmentOf(service));
  expect(await only.ended()).toBe(0);
});
afterAll(async () => {
  rmSync(first, { recursive: true, force: true });
  await service?.stop();
});
beforeEach(() => {
  directory = temporaryDirectory();
  service.reset();
});

const start = (args: string, environment: Record<string, string> = {}) =>
  run(directory, args, { ...environmentOf(service), ...environment });

/** Goes on where the first run ended: each edit from now on is an event. */
function baselined(): void {
  cpSync(first, directory, { recursive: true });
}

function edit(name: string): void {
  const [processId = ''] = service.workspace.processes();
  service.workspace.createProject(processId, { name });
}

async function receiver(...script: Reaction[]) {
  const started = await startReceiver(...script);
  onTestFinished(started.stop);
  return started;
}

const eventOf = ({ body }: Received) => JSON.parse(body) as ChangeEvent;
const names = (received: readonly Received[]) =>
  received.map(each => /"name":"([^"]+)"/.exec(JSON.stringify(eventOf(each).data))?.[1]);
const verified = (secret: string) => (one: Received) => new Webhook(secret).verify(one.body, one.headers);
const nameOf = (args: string) =>
  wantedEndpoints(parseOptions(args.split(' ')).endpoints, undefined, {})[0]?.name ?? '';

/** What the data directory keeps for the only endpoint: one line each. */
function kept(folder: 'undelivered' | 'dead-letters', name: string): Record<string, unknown>[] {
  const lines = readFileSync(join(directory, '.changewire', folder, `${name}.jsonl`), 'utf8').split('\n');
  const messages = new Map<unknown, Record<string, unknown>>();
  for (const line of lines.filter(Boolean).map(text => JSON.parse(text))) {
    if (line.settled) messages.delete(line.key);
    else messages.set(line.key ?? line.MessageId, line);
  }
  return [...messages.values()];
}

/** Waits until a restart would not publish these events of new projects again. */
async function positionBehind(events: readonly ChangeEvent[]): Promise<void> {
  const last = Math.max(...events.map(({ sequence }) => Number(sequence)));
  const file = join(directory, '.changewire/position.json');
  await until(() => JSON.parse(readFileSync(file, 'utf8')).time >= last);
}

describe('a run with endpoints of its own', () => {
  test('signs what it sends to webhooks, with two secrets while they change, and tells Slack and Teams', async () => {
    baselined();
    const [hook, slack, teams] = [await receiver(), await receiver(), await receiver()];
    edit('Acme');
    const only = start(
      `--once --json --webhook ${hook.url} --webhook-secret ${NEW} --webhook-secret ${OLD} --slack ${slack.url} --teams`,
      { TEAMS_WEBHOOK_URL: teams.url },
    );
    expect(await only.ended()).toBe(0);
    const [event] = only.events();
    expect(hook.received.map(eventOf)).toEqual([event]);
    for (const secret of [NEW, OLD]) expect(hook.received.map(verified(secret))).toEqual([event]);
    expect(hook.received[0]?.headers).toMatchObject({
      'webhook-id': event?.id,
      'content-type': 'application/json',
    });
    expect(slack.received.map(({ body }) => JSON.parse(body))).toEqual([
      expect.objectContaining({ text: expect.stringContaining('Acme'), blocks: expect.any(Array) }),
    ]);
    expect(teams.received.map(({ body }) => JSON.parse(body).attachments[0].content.version)).toEqual([
      '1.5',
    ]);
    const said = only.stdout() + only.stderr();
    expect(only.stderr()).toContain(`to http://127.0.0.1:${hook.port} (signed webhook)`);
    expect(only.stderr()).toContain(`to http://127.0.0.1:${teams.port} (Teams)`);
    for (const hidden of ['hush', OLD, NEW]) expect(said).not.toContain(hidden);
  });

  test('makes a secret when none is given, keeps it for its user alone, and tells the place', async () => {
    baselined();
    const hook = await receiver();
    const place = join(directory, '.changewire', `${nameOf(`--webhook ${hook.url}`)}.secret`);
    for (const name of ['One', 'Two']) {
      edit(name);
      const only = start(`--once --webhook ${hook.url}`);
      expect(await only.ended()).toBe(0);
      expect(only.stdout()).toContain(`its events are signed with the secret in ${place}`);
      expect(only.stdout()).not.toContain('whsec_');
    }
    expect(statSync(place).mode & 0o777).toBe(0o600);
    const secret = readFileSync(place, 'utf8').trim();
    expect(hook.received.map(verified(secret))).toHaveLength(2);
  });

  test('refuses what it can’t follow with exit code 2, before it starts anything', async () => {
    for (const args of ['--webhook http://10.0.0.1/hush', '--slack']) {
      const refused = start(args);
      expect(await refused.ended()).toBe(2);
      expect(refused.stderr()).toMatch(/^changewire: --[^\n]+\n$/);
      expect(refused.stdout() + refused.stderr()).not.toContain('hush');
    }
    expect(readdirSync(directory)).toEqual([]);
  });
});

describe('an endpoint that fails', () => {
  test('ends a run of --once badly after its first attempt, and is asked again by a later one', async () => {
    baselined();
    const hook = await receiver(answer(500));
    const args = `--once --json --webhook ${hook.url} --webhook-secret ${OLD}`;
    edit('Acme');
    const first = start(args);
    expect(await first.ended()).toBe(1);
    expect(hook.received).toHaveLength(1);
    expect(first.stderr()).toContain(`http://127.0.0.1:${hook.port}: answered 500; next in `);
    expect(first.stderr()).toContain('undelivered: 1, kept in ');
    const [spooled] = kept('undelivered', nameOf(`--webhook ${hook.url}`));
    expect(JSON.parse(spooled?.body as string)).toEqual(first.events()[0]);
    expect(
      statSync(join(directory, '.changewire/undelivered', `${nameOf(`--webhook ${hook.url}`)}.jsonl`)).mode &
        0o777,
    ).toBe(0o600);

    // Not due yet: it stays, and is told, but not sent again.
    const hasty = start(args);
    expect(await hasty.ended()).toBe(1);
    expect(hook.received).toHaveLength(1);
  });

  test('gets all of it when it is back: each event once, though the run was killed amid the retries', async () => {
    baselined();
    let away = true;
    const hook = await receiver(response => void response.writeHead(away ? 503 : 204).end());
    const args = `--json --interval 100ms --webhook ${hook.url} --webhook-secret ${OLD}`;
    const before = start(args);
    await until(() => before.stderr().includes('look'));
    for (const name of ['One', 'Two', 'Three']) edit(name);
    const name = nameOf(`--webhook ${hook.url}`);
    await until(() => before.events().length === 3 && before.stderr().includes('next in'));
    // All are parked, and the position has moved on: what is sent now comes from the spool alone.
    await until(() => kept('undelivered', name).filter(each => each.due !== undefined).length === 3);
    await positionBehind(before.events());
    before.child.kill('SIGKILL');
    await before.ended();
    const first = kept('undelivered', name).map(each => each.firstReceived);
    const attempts = hook.received.length;

    const meanwhile = start(args);
    await until(() => hook.received.length > attempts, 20_000);
    await until(() => kept('undelivered', name).every(each => (each.receives as number) >= 2));
    meanwhile.child.kill('SIGKILL');
    await meanwhile.ended();
    expect(meanwhile.stderr()).toContain('goes on with what is undelivered: 3');
    expect(kept('undelivered', name).map(each => each.firstReceived)).toEqual(first);

    // The next pause is 5 minutes: here they are over.
    const path = join(directory, '.changewire/undelivered', `${name}.jsonl`);
    const due = kept('undelivered', name).map(each => `${JSON.stringify({ ...each, due: Date.now() })}\n`);
    writeFileSync(path, due.join(''));
    away = false;
    const until204 = hook.received.length;
    const last = start(`--once ${args}`);
    expect(await last.ended()).toBe(0);
    expect(names(hook.received.slice(until204)).sort()).toEqual(['One', 'Three', 'Two']);
    expect(last.events()).toEqual([]);
    expect(kept('undelivered', name)).toEqual([]);
    hook.received.forEach(verified(OLD));
  });

  test('by hanging holds up neither the position nor another endpoint, and loses nothing to a kill', async () => {
    baselined();
    const [stuck, fine] = [await receiver(hang), await receiver()];
    const args = `--json --interval 100ms --webhook ${stuck.url} --webhook ${fine.url}`;
    const before = start(args);
    await until(() => before.stderr().includes('look'));
    edit('Acme');
    await until(() => fine.received.length === 1 && stuck.received.length === 1);
    const name = nameOf(`--webhook ${stuck.url}`);
    await positionBehind(before.events());
    expect(kept('undelivered', name)).toHaveLength(1);
    // Killed between a delivery and its note on disk, it would be delivered once more.
    const other = nameOf(`--webhook ${fine.url}`);
    const noted = join(directory, '.changewire/undelivered', `${other}.jsonl`);
    await until(() => !existsSync(noted) || kept('undelivered', other).length === 0);
    before.child.kill('SIGKILL');
    await before.ended();
    await stuck.stop();

    const after = start(`${args} --once`);
    expect(await after.ended()).toBe(1);
    expect(after.events()).toEqual([]);
    expect(after.stderr()).toContain(`http://127.0.0.1:${stuck.port}: no answer (ECONNREFUSED); next in`);
    expect(fine.received).toHaveLength(1);
    expect(kept('undelivered', name)).toHaveLength(1);
  });

  test('for three days leaves a dead letter on disk', async () => {
    baselined();
    const hook = await receiver(answer(500));
    edit('Acme');
    const args = `--once --json --webhook ${hook.url} --webhook-secret ${OLD}`;
    expect(await start(args).ended()).toBe(1);
    const name = nameOf(`--webhook ${hook.url}`);
    const [spooled] = kept('undelivered', name);
    const old = { ...spooled, receives: 12, firstReceived: Date.now() - 73 * 3_600_000, due: Date.now() };
    writeFileSync(join(directory, '.changewire/undelivered', `${name}.jsonl`), `${JSON.stringify(old)}\n`);
    const last = start(args);
    expect(await last.ended()).toBe(1);
    expect(last.stderr()).toContain('given up: 1, kept in ');
    expect(kept('undelivered', name)).toEqual([]);
    expect(kept('dead-letters', name)).toEqual([
      {
        MessageId: expect.any(String),
        Body: spooled?.body,
        MessageAttributes: expect.objectContaining({
          reason: { DataType: 'String', StringValue: 'answered 500' },
        }),
        Endpoint: name,
        FailedAt: expect.any(String),
        Attempts: 13,
        ErrorMessage: 'answered 500',
      },
    ]);
    expect(await start(args).ended()).toBe(0);
  });

  test('with 410 gets nothing more until the next start', async () => {
    baselined();
    const hook = await receiver(answer(410), answer(204));
    const args = `--json --interval 100ms --webhook ${hook.url} --webhook-secret ${OLD}`;
    const running = start(args);
    await until(() => running.stderr().includes('look'));
    edit('One');
    await until(() => running.stderr().includes('wants no more'));
    edit('Two');
    const name = nameOf(`--webhook ${hook.url}`);
    await until(() => running.events().length === 2 && kept('dead-letters', name).length === 2);
    expect(hook.received).toHaveLength(1);
    running.child.kill('SIGTERM');
    expect(await running.ended()).toBe(0);
    edit('Three');
    expect(await start(`${args} --once`).ended()).toBe(0);
    expect(names(hook.received)).toEqual(['One', 'Three']);
  });

  test('and is not asked for again keeps what it has yet to get, and is told of', async () => {
    const folder = join(directory, '.changewire/undelivered');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'webhook-gone.jsonl'), '{"key":"1","body":"{}"}\n{"key":"2","body":"{}"}\n');
    const only = start('--once');
    expect(await only.ended()).toBe(0);
    expect(only.stdout()).toContain('webhook-gone: undelivered: 2, in ');
    expect(kept('undelivered', 'webhook-gone')).toHaveLength(2);
  });
});
