import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ChangeEvent } from '../../functions/model/event.ts';
import { startSimulatedService } from '../../simulator/server.ts';
import { answer, type Received, receiver } from '../kit/delivery/receiver.ts';
import { environmentOf, run } from '../kit/local/run.ts';
import { receiver as subscribing } from '../kit/local/sns.ts';
import { alterStore, deadRows, pendingRows } from '../kit/store-file.ts';
import { temporaryDirectory } from '../kit/temporary.ts';

const OLD = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const NEW = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;

/** A service, and a folder for the runs that watch it. */
async function opened() {
  const service = await startSimulatedService();
  onTestFinished(service.stop);
  const [processId = ''] = service.workspace.processes();
  const edit = (name: string) => service.workspace.createProject(processId, { name });
  return { service, directory: temporaryDirectory(), processId, edit };
}

const eventOf = ({ body }: Received) => JSON.parse(body) as ChangeEvent;
const verified = (secret: string) => (one: Received) => new Webhook(secret).verify(one.body, one.headers);

describe('a run with endpoints of its own', () => {
  test('sends its endpoints what changed between two runs: webhooks signed by two secrets, Slack with links, Teams, subscriptions', async () => {
    const [hook, slack] = [await receiver(), await receiver()];
    const [teams, other, subscriber] = [await receiver(), await receiver(), await subscribing()];
    const { service, directory, processId: id, edit } = await opened();
    const { baseUrl, authUrl, audience, clientId, clientSecret } = service;
    const linkTemplate = 'http://127.0.0.1/{processId}/{projectId}';
    const file = join(directory, 'changewire.json');
    const kinds = { hook: 'webhook', chat: 'slack', team: 'teams' };
    const configured = {
      workspaces: [{ name: 'eu', baseUrl, authUrl, audience, linkTemplate, processes: [{ id }] }],
      endpoints: [
        ...Object.entries(kinds).map(([name, kind]) => ({ name, kind })),
        { name: 'other', kind: 'webhook', filter: { events: ['task.updated'] } },
      ],
    };
    writeFileSync(file, JSON.stringify(configured));
    const environment = {
      ...{ EU_CLIENT_ID: clientId, EU_CLIENT_SECRET: clientSecret },
      ...{ ENDPOINT_HOOK_URL: hook.url, ENDPOINT_CHAT_URL: slack.url, ENDPOINT_TEAM_URL: teams.url },
      ENDPOINT_OTHER_URL: other.url,
      ENDPOINT_HOOK_SECRET: `${NEW},${OLD}`,
      ENDPOINT_HOOK_HEADERS: '{"Authorization": "Bearer a b"}',
    };
    const once = (args = '') => run(directory, `--once --json --config ${file} ${args}`, environment);
    expect(await once().ended()).toBe(0);
    edit('Acme');
    const only = once(`--raw --subscribe ${subscriber.url}`);
    expect(await only.ended()).toBe(0);
    const [event] = only.events();
    expect(hook.received.map(eventOf)).toEqual([event]);
    for (const secret of [NEW, OLD]) expect(hook.received.map(verified(secret))).toEqual([event]);
    const own = { authorization: 'Bearer a b', 'content-type': 'application/json' };
    expect(hook.received[0]?.headers).toMatchObject({ 'webhook-id': event?.id, ...own });
    expect(slack.received.map(({ body }) => JSON.parse(body))).toEqual([
      expect.objectContaining({ text: expect.stringContaining('Acme'), blocks: expect.any(Array) }),
    ]);
    expect(slack.received.map(({ body }) => /"url":"([^"]*)"/.exec(body)?.[1])).toEqual([
      expect.stringMatching(`^http://127\\.0\\.0\\.1/${encodeURIComponent(id)}/[^/{}]+$`),
    ]);
    const versionOf = ({ body }: Received) => JSON.parse(body).attachments[0].content.version;
    expect(teams.received.map(versionOf)).toEqual(['1.5']);
    expect(other.received).toEqual([]);
    expect(subscriber.notifications().map(({ body }) => JSON.parse(body))).toEqual([event]);
    const said = only.stdout() + only.stderr();
    expect(only.stderr()).toContain(`(signed webhook at http://127.0.0.1:${hook.port})`);
    for (const hidden of ['hush', OLD, NEW, clientSecret]) expect(said).not.toContain(hidden);
  });
});

test('a run that is ended waits for the answer to what it sends, so that no later run sends it again', async () => {
  const { service, directory, edit } = await opened();
  const hook = await receiver(response => {
    running.interrupt();
    setTimeout(() => response.writeHead(204).end(), 200);
  });
  const start = (more: string) =>
    run(directory, `--webhook ${hook.url} --name crm ${more}`, environmentOf(service));
  expect(await start('--once').ended()).toBe(0);
  edit('Acme');
  const running = start('');
  expect(await running.ended()).toBe(0);
  expect(await start('--once').ended()).toBe(0);
  expect(hook.received).toHaveLength(1);
});

describe('an endpoint that fails', () => {
  test('invariant 3: ends a run of --once badly, is sent the same bytes by a later one, and leaves a dead letter after three days, which is sent again when that is asked for', async () => {
    const { service, directory, edit } = await opened();
    const data = join(directory, '.changewire');
    const pending = () => pendingRows(data, 'crm');
    const start = (args: string) => run(directory, args, environmentOf(service));
    expect(await start('--once').ended()).toBe(0);
    const hook = await receiver(answer(500, {}, 'db down'), answer(500), answer(204));
    const args = `--once --json --webhook ${hook.url} --name crm`;
    edit('Acme🎉');
    const first = start(args);
    expect(await first.ended()).toBe(1);
    expect(hook.received).toHaveLength(1);
    const [told] = first.events();
    expect(first.stderr()).toContain(`crm: event ${told?.id}: answered 500 (db down); next attempt in `);
    expect(first.stderr()).toContain('1 undelivered event, kept for the next start');
    const secret = readFileSync(join(data, 'crm.secret'), 'utf8').trim();
    expect(first.stderr()).toContain(`crm: the signing secret is in ${join(data, 'crm.secret')}`);
    expect(first.stderr()).not.toContain(secret);
    const [waiting] = pending();
    expect(JSON.parse(waiting?.body ?? '')).toEqual(told);
    const without = start('--once');
    expect(await without.ended()).toBe(0);
    expect(without.stdout()).toContain('crm: 1 undelivered event. Start with its URL again to send them.');

    const update = 'UPDATE pending SET attempts = 12, tried_at = ? WHERE endpoint = ?';
    alterStore(data, update, Date.now() - 73 * 3_600_000, 'crm');
    // Not due yet, but a start tries all that waits.
    const last = start(args);
    expect(await last.ended()).toBe(1);
    expect(last.stderr()).toContain('resuming with 1 undelivered event, oldest 20');
    expect(last.stderr()).toContain('gave up on 1 event, kept as dead letters');
    expect(pending()).toEqual([]);
    const letter = { event_id: told?.id, body: waiting?.body, reason: 'answered 500', attempts: 13 };
    expect(deadRows(data, 'crm')).toMatchObject([letter]);
    expect(await start(args).ended()).toBe(0);

    // A start also forgets that it was stopped.
    const stop = `UPDATE endpoint SET row = json_set(row, '$.health.stopped', json('{"at": 1, "reason": "r"}'))`;
    alterStore(data, stop);
    const again = start(`${args} --resend crm`);
    expect(await again.ended()).toBe(0);
    expect(again.stderr()).toContain('crm: resending 1 dead letter');
    expect(hook.received.map(({ body }) => body)).toEqual(Array(3).fill(waiting?.body));
    expect(hook.received.map(verified(secret))).toEqual(Array(3).fill(told));
    expect(deadRows(data, 'crm')).toEqual([]);
  });
});
