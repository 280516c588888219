import { chmod, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { SubscriptionMemory } from '../../../local/sns/subscription-memory.ts';
import { eventually, type RunningSns, receiver, startSns } from '../../kit/local/sns.ts';
import type { Receiver } from '../../kit/local/sns-receiver.ts';
import { temporaryDirectory } from '../../kit/temporary.ts';

let directory: string;
let file: string;

beforeEach(() => {
  directory = temporaryDirectory();
  file = join(directory, 'subscriptions.json');
});

const start = (options: Parameters<typeof startSns>[0] = {}): Promise<RunningSns> =>
  startSns({ dataDirectory: directory, ...options });

type Wanted = Parameters<RunningSns['sns']['subscribe']>[0];

/** A run in which `wanted` is confirmed, and which ends. @returns its ARN */
async function confirmedIn(wanted: Wanted, options: Parameters<typeof start>[0] = {}): Promise<string> {
  const { sns } = await start(options);
  const { confirmed, subscriptionArn } = await sns.subscribe(wanted);
  await confirmed;
  sns.forgetOthers();
  await sns.stop();
  return subscriptionArn;
}

/** An endpoint whose port is never one that the system gives to another test's server while nobody listens there. */
const leaving = (): Promise<Receiver> => receiver({ port: 20_000 + (process.pid % 10_000) });

/** The endpoint's port, with nobody there now. */
async function closed(endpoint: Receiver): Promise<number> {
  await endpoint.close();
  return Number(new URL(endpoint.url).port);
}

describe('a confirmed subscription', () => {
  it('is live at the next start, with a new filter too, and no handshake, while its endpoint is away', async () => {
    const endpoint = await leaving();
    const wanted = { url: endpoint.url, filter: { eventType: ['a', 'b'] }, name: 'mine', raw: true };
    const arn = await confirmedIn({ ...wanted, filter: { eventType: ['b', 'c'] }, raw: false });
    const port = await closed(endpoint);
    const { sns, publish, notices } = await start({ retryDelays: Array(400).fill(10) });
    const subscribed = await sns.subscribe(wanted);
    await subscribed.confirmed;
    expect(subscribed.subscriptionArn).toBe(arn);
    expect(notices).toEqual(['info mine subscription confirmed in an earlier run']);
    await publish(['missed'], { eventType: 'c' });
    await publish(['wanted'], { eventType: 'a' });
    await eventually(() => expect(notices.at(-1)).toMatch(/^failed/));
    const back = await receiver({ port });
    await sns.idle();
    expect(back.confirmations()).toEqual([]);
    expect(back.notifications().map(({ body }) => body)).toEqual(['wanted']);
    expect(back.notifications()[0]?.headers['x-amz-sns-subscription-arn']).toBe(arn);
  });

  it('is remembered before its confirmation is answered', async () => {
    const { sns } = await start();
    const endpoint = await receiver({ confirm: false });
    const { subscriptionArn } = await sns.subscribe({ url: endpoint.url });
    const subscribeUrl = await endpoint.subscribeUrl();
    await expect(readFile(file)).rejects.toThrow('ENOENT');
    expect((await fetch(subscribeUrl)).status).toBe(200);
    expect(await readFile(file, 'utf8')).toContain(subscriptionArn);
  });

  it('is not confirmed when it can’t be written down, and is as soon as it can', async () => {
    const { sns, notices } = await start();
    const endpoint = await receiver({ confirm: false });
    const { confirmed } = await sns.subscribe({ url: endpoint.url });
    const subscribeUrl = await endpoint.subscribeUrl();
    await mkdir(`${file}.new`);
    expect((await fetch(subscribeUrl)).status).toBe(500);
    expect(notices.at(-1)).toMatch(/^warn .*could not save the confirmation/);
    await rm(`${file}.new`, { recursive: true });
    expect((await fetch(subscribeUrl)).status).toBe(200);
    await confirmed;
  });
});

describe('a handshake begins anew', () => {
  const again = async (endpoint: Receiver, wanted: Wanted, options: Parameters<typeof startSns>[0] = {}) => {
    const before = endpoint.confirmations().length;
    const subscriptionArn = await confirmedIn(wanted, options);
    return { subscriptionArn, handshakes: endpoint.confirmations().length - before };
  };

  it('when the name changed; what was is forgotten', async () => {
    const endpoint = await receiver();
    const wanted = { url: endpoint.url, name: 'other' };
    const arn = await confirmedIn({ url: endpoint.url });
    const changed = await again(endpoint, wanted);
    expect(changed.handshakes).toBe(1);
    expect(changed.subscriptionArn).not.toBe(arn);
    expect(await readFile(file, 'utf8')).not.toContain(arn);
    expect(await again(endpoint, wanted)).toEqual({ ...changed, handshakes: 0 });
  });

  it('when a start did not ask for it', async () => {
    const [endpoint, other] = [await receiver(), await receiver()];
    const arn = await confirmedIn({ url: endpoint.url });
    await confirmedIn({ url: other.url });
    expect(await readFile(file, 'utf8')).not.toContain(arn);
    expect((await again(endpoint, { url: endpoint.url })).handshakes).toBe(1);
  });

  it('when the topic is another', async () => {
    const endpoint = await receiver();
    await confirmedIn({ url: endpoint.url });
    const elsewhere = await again(endpoint, { url: endpoint.url }, { topicName: 'elsewhere' });
    expect(elsewhere.handshakes).toBe(1);
    expect(elsewhere.subscriptionArn).toContain(':elsewhere:');
  });

  it('when it was unsubscribed', async () => {
    const endpoint = await receiver();
    const arn = await confirmedIn({ url: endpoint.url });
    const { sns } = await start();
    await sns.subscribe({ url: endpoint.url });
    await sns.unsubscribe(arn);
    await sns.stop();
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual([]);
    expect((await again(endpoint, { url: endpoint.url })).handshakes).toBe(1);
  });
});

describe('the file of subscriptions', () => {
  it('is for its owner only, whatever was there before, for a URL can hold a secret', async () => {
    const endpoint = await receiver();
    await writeFile(`${file}.new`, 'left by a kill', { mode: 0o644 });
    await confirmedIn({ url: endpoint.url.replace('//', '//me:secret@') });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await chmod(file, 0o644);
    new SubscriptionMemory(directory);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('that is damaged is an error that names it and the remedy, and quotes nothing of it', async () => {
    await writeFile(file, '[{"url":"http://me:secret@example.com/"');
    const error = await start().catch((reason: unknown) => reason);
    expect(String(error)).toContain(`${file} is damaged. Delete it`);
    expect(JSON.stringify([String(error), (error as Error).cause])).not.toContain('secret');
    await writeFile(file, '[{"url":"http://me:secret@example.com/"}]');
    await expect(start()).rejects.toThrow('is damaged. Delete it');
  });
});
