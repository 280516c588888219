import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ChangeEvent } from '../../functions/model/event.ts';
import { parseOptions } from '../../local/settings/options.ts';
import { wantedEndpoints } from '../../local/settings/wanted-endpoints.ts';
import { answer, hang, type Received, receiver } from '../kit/delivery/receiver.ts';
import { startResettableService } from '../kit/local/resettable-service.ts';
import { begin, environmentOf, run, until } from '../kit/local/run.ts';
import { alterStore, deadRows, pendingRows, unpublished } from '../kit/store-file.ts';
import { temporaryDirectory } from '../kit/temporary.ts';

const OLD = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const NEW = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;

let directory: string;
let service: Awaited<ReturnType<typeof startResettableService>>;
/** What a first run left, which made the baseline. */
const first = mkdtempSync(join(tmpdir(), 'changewire-test-'));
beforeAll(async () => {
  service = await startResettableService();
  const only = begin(first, '--once', environmentOf(service));
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

const start = (args: string, environment: Record<string, string> = {}, options = {}) =>
  run(directory, args, { ...environmentOf(service), ...environment }, options);

/** Goes on where the first run ended: each edit from now on is an event. */
function baselined(): void {
  cpSync(first, directory, { recursive: true });
}

function edit(name: string): void {
  const [processId = ''] = service.workspace.processes();
  service.workspace.createProject(processId, { name });
}

const eventOf = ({ body }: Received) => JSON.parse(body) as ChangeEvent;
const verified = (secret: string) => (one: Received) => new Webhook(secret).verify(one.body, one.headers);
const nameOf = (args: string) =>
  wantedEndpoints(parseOptions(args.split(' ')).endpoints, undefined, {})[0]?.name ?? '';

const data = () => join(directory, '.changewire');
const pending = (name: string) => pendingRows(data(), name);
const dead = (name: string) => deadRows(data(), name);
/** Waits until a restart would neither publish nor print again what this run has printed. */
const settled = () => until(() => unpublished(data()) === 0 && pending('sns:built-in').length === 0);

describe('a run with endpoints of its own', () => {
  test('signs what it sends to webhooks, with two secrets while they change and its headers, and tells Slack and Teams', async () => {
    baselined();
    const [hook, slack, teams] = [await receiver(), await receiver(), await receiver()];
    edit('Acme');
    const only = start(
      `--once --json --webhook ${hook.url} --webhook-secret ${NEW} --webhook-secret ${OLD} --header - --slack ${slack.url} --teams`,
      { TEAMS_WEBHOOK_URL: teams.url },
      { input: 'Authorization: Bearer a b\n' },
    );
    expect(await only.ended()).toBe(0);
    const [event] = only.events();
    expect(hook.received.map(eventOf)).toEqual([event]);
    for (const secret of [NEW, OLD]) expect(hook.received.map(verified(secret))).toEqual([event]);
    const own = { authorization: 'Bearer a b', 'content-type': 'application/json' };
    expect(hook.received[0]?.headers).toMatchObject({ 'webhook-id': event?.id, ...own });
    expect(slack.received.map(({ body }) => JSON.parse(body))).toEqual([
      expect.objectContaining({ text: expect.stringContaining('Acme'), blocks: expect.any(Array) }),
    ]);
    const versionOf = ({ body }: Received) => JSON.parse(body).attachments[0].content.version;
    expect(teams.received.map(versionOf)).toEqual(['1.5']);
    const said = only.stdout() + only.stderr();
    expect(only.stderr()).toContain(`(signed webhook at http://127.0.0.1:${hook.port})`);
    expect(only.stderr()).toContain(`(Teams at http://127.0.0.1:${teams.port})`);
    for (const hidden of ['hush', OLD, NEW]) expect(said).not.toContain(hidden);
  });

  test('links records in chats as the configuration says', async () => {
    const slack = await receiver();
    const { baseUrl, authUrl, audience, clientId, clientSecret, workspace } = service;
    const [id = ''] = workspace.processes();
    const linkTemplate = 'http://127.0.0.1/{processId}/{projectId}';
    const file = join(directory, 'changewire.json');
    const configured = {
      workspaces: [{ name: 'eu', baseUrl, authUrl, audience, linkTemplate, processes: [{ id }] }],
      endpoints: [{ name: 'chat', kind: 'slack' }],
    };
    writeFileSync(file, JSON.stringify(configured));
    const secrets = { EU_CLIENT_ID: clientId, EU_CLIENT_SECRET: clientSecret, ENDPOINT_CHAT_URL: slack.url };
    expect(await run(directory, `--once --config ${file}`, secrets).ended()).toBe(0);
    edit('Acme');
    expect(await run(directory, `--once --config ${file}`, secrets).ended()).toBe(0);
    expect(slack.received.map(({ body }) => /"url":"([^"]*)"/.exec(body)?.[1])).toEqual([
      expect.stringMatching(`^http://127\\.0\\.0\\.1/${encodeURIComponent(id)}/[^/{}]+$`),
    ]);
  });
});

describe('an endpoint that fails', () => {
  test('ends a run of --once badly, is asked again by a later one, and leaves a dead letter after three days, which is sent again when that is asked for', async () => {
    baselined();
    const hook = await receiver(answer(500, {}, 'db down'), answer(500), answer(204));
    const args = `--once --json --webhook ${hook.url} --webhook-secret ${OLD}`;
    edit('Acme');
    const first = start(args);
    expect(await first.ended()).toBe(1);
    expect(hook.received).toHaveLength(1);
    const [told] = first.events();
    const name = nameOf(`--webhook ${hook.url}`);
    expect(first.stderr()).toContain(`${name}: event ${told?.id}: answered 500 (db down); next attempt in `);
    expect(first.stderr()).toContain('1 undelivered event, kept for the next start');
    const [waiting] = pending(name);
    expect(JSON.parse(waiting?.body ?? '')).toEqual(told);
    const without = start('--once');
    expect(await without.ended()).toBe(0);
    expect(without.stdout()).toContain(': 1 undelivered event. Start with its URL again to send them.');

    const update = 'UPDATE pending SET attempts = 12, tried_at = ? WHERE endpoint = ?';
    alterStore(data(), update, Date.now() - 73 * 3_600_000, name);
    // Not due yet, but a start tries all that waits.
    const last = start(args);
    expect(await last.ended()).toBe(1);
    expect(last.stderr()).toContain('resuming with 1 undelivered event, oldest 20');
    expect(last.stderr()).toContain('gave up on 1 event, kept as dead letters');
    expect(pending(name)).toEqual([]);
    const letter = { event_id: told?.id, body: waiting?.body, reason: 'answered 500', attempts: 13 };
    expect(dead(name)).toMatchObject([letter]);
    expect(await start(args).ended()).toBe(0);

    const again = start(`${args} --resend ${name}`);
    expect(await again.ended()).toBe(0);
    expect(again.stderr()).toContain(`${name}: resending 1 dead letter`);
    expect(hook.received.map(({ body }) => body)).toEqual(Array(3).fill(waiting?.body));
    expect(dead(name)).toEqual([]);
  });

  test('by hanging holds up neither the publisher nor another endpoint, and loses nothing when the run ends', async () => {
    baselined();
    const [stuck, fine] = [await receiver(hang), await receiver()];
    const args = `--json --interval 100ms --webhook ${stuck.url} --webhook ${fine.url}`;
    const before = start(args);
    await until(() => before.stderr().includes('polling'));
    edit('Acme');
    await until(() => fine.received.length === 1 && stuck.received.length === 1);
    const name = nameOf(`--webhook ${stuck.url}`);
    await settled();
    expect(pending(name)).toHaveLength(1);
    await until(() => pending(nameOf(`--webhook ${fine.url}`)).length === 0);
    before.interrupt();
    await before.ended();
    await stuck.stop();

    const after = start(`${args} --once`);
    expect(await after.ended()).toBe(1);
    expect(after.events()).toEqual([]);
    expect(after.stderr()).toMatch(/: event \S+: no answer \(ECONNREFUSED\); next attempt in/);
    expect(fine.received).toHaveLength(1);
    expect(pending(name)).toHaveLength(1);
  });
});
