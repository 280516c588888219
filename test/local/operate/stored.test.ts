import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { open } from '../../../cli/context/runner.ts';
import { sleep } from '../../../functions/basics/system.ts';
import type { EndpointSettings } from '../../../functions/model/endpoint.ts';
import type { ChangeEvent } from '../../../functions/model/event.ts';
import { openDatabase } from '../../../functions/store/sqlite/database.ts';
import { sqliteEndpointRows } from '../../../functions/store/sqlite/endpoints.ts';
import { DELIVERIES_SCHEMA, SNAPSHOTS_SCHEMA } from '../../../functions/store/sqlite/schema.ts';
import { fileSecrets, SECRETS_FOLDER } from '../../../local/data/secret-files.ts';
import { STORE_FILE } from '../../../local/data/store-file.ts';
import { run as runOver } from '../../kit/cli/world.ts';
import { answer, receiver } from '../../kit/delivery/receiver.ts';
import { someEvents } from '../../kit/delivery/setting.ts';
import { openDelivering } from '../../kit/local/delivering.ts';
import { eventually } from '../../kit/local/sns.ts';
import { temporaryDirectory } from '../../kit/temporary.ts';

let directory: string;
beforeEach(() => {
  directory = join(temporaryDirectory(), 'data');
  mkdirSync(directory);
});

/** What the command says, and its exit code. */
async function said(...args: string[]) {
  const { code, out, err } = await runOver([...args, '--data', directory], { open, clock: Date.now });
  return { code, out: out.trimEnd(), err: err.trimEnd() };
}

/** How often a run looks for what another process has written, in ms. */
const LOOK_MS = 5;

/** A run that serves endpoints and looks for changes all the time, and that answers no requests: what is done is done to its store. */
async function run(configured: readonly EndpointSettings[] = []) {
  const { delivering, database, publish, deliveries, rows, queues } = openDelivering({
    path: join(directory, STORE_FILE),
    configured,
    secrets: fileSecrets(join(directory, SECRETS_FOLDER)),
    clock: Date.now,
    sleep,
  });
  for (const settings of configured)
    await rows.change(settings.name, row => ({
      ...{ name: settings.name, health: {}, ...row, configured: settings },
    }));
  await delivering.recover(true);
  delivering.start();
  const looking = setInterval(() => delivering.wake(), LOOK_MS);
  onTestFinished(async () => {
    clearInterval(looking);
    await delivering.stop();
    database.file.close();
  });
  return { publish, deliveries, rows, queues };
}

describe('beside a run that can not be asked', () => {
  it('an endpoint is added, tested, paused, resumed and removed', async () => {
    const { publish, deliveries, queues } = await run();
    const { url, received } = await receiver(answer(204));
    const idsOf = () => received.map(({ headers }) => headers['webhook-id']);
    const [early, one, two, three] = someEvents(4) as [ChangeEvent, ChangeEvent, ChangeEvent, ChangeEvent];
    await publish([early]);
    await eventually(async () => expect(queues.events.messagesOf('')).toEqual([]));
    const added = await said('endpoints', 'add', 'crm', '--webhook', url, '--filter', 'events=task.updated');
    expect(added.code).toBe(0);
    expect(added.out).toMatch(/Signing secret: whsec_\S+ \(shown only once\)/);
    expect(readdirSync(join(directory, SECRETS_FOLDER))).toEqual(['crm.json']);
    await publish([one]);
    await eventually(async () => expect(idsOf()).toEqual([one.id]));
    const tested = await said('endpoints', 'test', 'crm');
    expect(tested.code).toBe(0);
    expect(tested.out).toMatch(/^crm: answered 204 in \d+ ms \(http:\/\/127\.0\.0\.1:\d+\)$/);
    await eventually(async () => expect(await deliveries.counts('crm')).toMatchObject({ pending: 0 }));
    await said('endpoints', 'pause', 'crm');
    await publish([two, three]);
    await eventually(async () =>
      expect((await said('endpoints', 'list')).out).toMatch(/^crm +webhook +paused since \S+ +2, oldest /m),
    );
    expect(idsOf().filter(id => id === two.id)).toEqual([]);
    await said('endpoints', 'resume', 'crm');
    await eventually(async () => expect(await deliveries.counts('crm')).toMatchObject({ pending: 0 }));
    expect(idsOf().slice(-2)).toEqual([two.id, three.id]);
    expect((await said('endpoints', 'attempts', 'crm')).out.split('\n')).toHaveLength(6);
    expect((await said('endpoints', 'remove', 'crm', '--yes')).code).toBe(0);
    expect((await said('endpoints', 'list')).out).toMatch(/^There are no endpoints/);
  });

  it('one of the configuration is paused and resumed, and neither added nor removed', async () => {
    const { rows } = await run([{ name: 'crm', kind: 'webhook' }]);
    await rows.change('crm', row => row && { ...row, origin: 'https://crm.example' });
    expect((await said('endpoints', 'list')).out).toMatch(/^crm +webhook +healthy +crm\.example$/m);
    expect((await said('endpoints', 'pause', 'crm')).code).toBe(0);
    expect((await said('endpoints', 'resume', 'crm')).code).toBe(0);
    const refused = (why: RegExp) => ({ code: 1, out: '', err: expect.stringMatching(why) });
    const defined = refused(/is defined in the configuration/);
    expect(await said('endpoints', 'remove', 'crm', '--yes')).toMatchObject(defined);
    const { url } = await receiver(answer(204));
    expect(await said('endpoints', 'add', 'crm', '--webhook', url)).toMatchObject(refused(/of this name/));
    // Nobody would read what was written beside the environment.
    for (const [line, why] of Object.entries({
      [`update crm --url ${url}`]:
        /restart with another URL on the command line, or another ENDPOINT_CRM_URL/,
      'update crm --header X-A:1': /with --header after its URL .* or with another ENDPOINT_CRM_HEADERS/,
      'rotate-secret crm': /NEW --webhook-secret OLD .* or with ENDPOINT_CRM_SECRET=NEW,OLD/,
      'rotate-secret crm --finish': /is read at the start of a run/,
      'test crm': /is not running, and only a run has the address/,
    }))
      expect(await said('endpoints', ...line.split(' '))).toMatchObject(refused(why));
    expect(existsSync(join(directory, SECRETS_FOLDER))).toBe(false);
  });
});

describe('a start', () => {
  it('forgets that an endpoint was stopped or failed, not that it was paused, and keeps nothing waiting that did not', async () => {
    const database = openDatabase(join(directory, STORE_FILE), [SNAPSHOTS_SCHEMA, DELIVERIES_SCHEMA]);
    const before = sqliteEndpointRows(database);
    const at = Date.now();
    const stopped = { at, reason: 'answered 410' };
    const troubled = { stopped, failing: { since: at, probes: 3 }, notBefore: at + 9e6 };
    const waiting = { added: 3, due: at, first: true };
    await before.change('crm', () => ({ name: 'crm', health: troubled }));
    await before.change('erp', () => ({ name: 'erp', health: { paused: { at }, waiting } }));
    database.file.close();
    const { rows } = await run(['crm', 'erp'].map(name => ({ name, kind: 'webhook' })));
    expect((await rows.read('crm'))?.health).toEqual({});
    expect((await rows.read('erp'))?.health).toEqual({ paused: { at }, waiting });
  });
});
