import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PublishBatchCommand, SNSClient } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ChangeEvent } from '../../../functions/changes/event.ts';
import { type ServedEndpoint, startEndpoint } from '../../../local/endpoints/endpoint.ts';
import { SpoolFile } from '../../../local/endpoints/spool-file.ts';
import { startLocalSns } from '../../../local/sns/sns.ts';
import { memoryStates, SECRET, someEvents } from '../../deliver/given.ts';
import { answer, startReceiver } from '../../endpoints/receiver.ts';
import { until } from '../main-support.ts';
import { sleep } from '../sns/house.ts';
import { temporaryDirectory } from '../support.ts';

const HOUR = 3_600_000;

/** One life of a topic and an endpoint, whose clock is `ahead` ms ahead. `kill` leaves no time to write anything. */
async function live(url: string, directory: string, ahead = 0) {
  const sns = await startLocalSns({ clock: Date.now, sleep, onNotice: () => undefined });
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const config = { endpoint: sns.endpoint, region: 'us-east-1', credentials };
  const clients = {
    sns: new SNSClient(config),
    sqs: new SQSClient({ ...config, useQueueUrlAsEndpoint: false }),
  };
  const said: string[] = [];
  const log = (message: string, details?: object) => void said.push(`${message} ${JSON.stringify(details)}`);
  const endpoint: ServedEndpoint = await startEndpoint({
    ...clients,
    name: 'crm',
    kind: 'webhook',
    secret: { url, secrets: [SECRET] },
    topicArn: sns.topicArn,
    look: sns.look,
    states: memoryStates(),
    dataDirectory: directory,
    spoolPath: join(directory, 'crm.jsonl'),
    clock: () => Date.now() + ahead,
    sleep,
    log: { info: log, warn: log, error: log },
    onTrouble: error => said.push(String(error)),
  });
  const kill = async () => void (await Promise.all([endpoint.stop(), sns.stop()]));
  onTestFinished(kill);
  const publish = async (events: readonly ChangeEvent[]): Promise<void> => {
    for (let at = 0; at < events.length; at += 10) {
      const batch = events.slice(at, at + 10);
      const PublishBatchRequestEntries = batch.map((event, Id) => ({
        Id: `${Id}`,
        Message: JSON.stringify(event),
      }));
      await clients.sns.send(new PublishBatchCommand({ TopicArn: sns.topicArn, PublishBatchRequestEntries }));
    }
  };
  return { ...endpoint, said, publish, kill, queued: () => sns.look('crm') };
}

describe('300 events to an endpoint that fails every other time, over lives that end at any moment', () => {
  it('are each taken or on disk whenever a life has ended, and get there once it is well', async () => {
    let count = 0;
    let well = false;
    const taken = new Set<string>();
    const receiver = await startReceiver((response, { headers }) => {
      const takes = well || count++ % 2 === 1;
      if (takes) taken.add(headers['webhook-id'] ?? '');
      response.writeHead(takes ? 204 : 500).end();
    });
    onTestFinished(receiver.stop);
    const directory = temporaryDirectory();
    const events = someEvents(300);
    for (const [index, moment] of [10, 90, 200].entries()) {
      // Each life begins when what was parked in the one before is due.
      const life = await live(receiver.url, directory, index * 2 * HOUR);
      await life.publish(events.slice(index * 100, index * 100 + 100));
      await life.secured();
      await receiver.requests(moment);
      await life.kill();
      const kept = [...new SpoolFile(life.spool.path).values()].map(({ body }) => JSON.parse(body).id);
      const published = events.slice(0, index * 100 + 100).map(({ id }) => id);
      expect(new Set([...taken, ...kept])).toEqual(new Set(published));
    }
    expect(taken.size).toBeLessThan(events.length);
    well = true;
    const last = await live(receiver.url, directory, 60 * HOUR);
    await until(() => last.spool.size === 0);
    expect(taken).toEqual(new Set(events.map(({ id }) => id)));
    expect(last.deadLetters.added).toBe(0);
  });
});

describe('a run of one endpoint', () => {
  it('has on disk what the queue holds, though the endpoint has answered nothing yet', async () => {
    const receiver = await startReceiver(() => undefined);
    onTestFinished(receiver.stop);
    const directory = temporaryDirectory();
    const life = await live(receiver.url, directory);
    const events = someEvents(50);
    await life.publish(events);
    await life.secured();
    const kept = readFileSync(join(directory, 'crm.jsonl'), 'utf8').trim().split('\n');
    expect(kept.map(line => JSON.parse(JSON.parse(line).body).id).sort()).toEqual(
      events.map(({ id }) => id).sort(),
    );
    await life.kill();
    await expect(life.secured()).rejects.toThrow();
  });

  it('invariant 3: sends the same bytes again, though SQS would not take their characters back', async () => {
    const receiver = await startReceiver(response => void response.writeHead(500).end(), answer(204));
    onTestFinished(receiver.stop);
    const directory = temporaryDirectory();
    const [event] = someEvents(1) as [ChangeEvent];
    const party = {
      ...event,
      data: { ...event.data, project: { id: 'p.1', name: 'Acme🎉' } },
    } as ChangeEvent;
    const first = await live(receiver.url, directory);
    await first.publish([party]);
    await until(() => first.spool.size === 1 && !first.spool.untried);
    await first.kill();
    const next = await live(receiver.url, directory, HOUR);
    await until(() => next.spool.size === 0);
    expect(receiver.received.map(({ body }) => body)).toEqual([JSON.stringify(party), JSON.stringify(party)]);
    expect(next.said).toEqual([]);
    expect(next.deadLetters.added).toBe(0);
  });

  it('tells the deliverer the age and the attempts of all its runs', async () => {
    const receiver = await startReceiver(response => void response.writeHead(500).end());
    onTestFinished(receiver.stop);
    const directory = temporaryDirectory();
    const firstReceived: (number | undefined)[] = [];
    for (const [index, ahead] of [0, 1, 80].entries()) {
      const life = await live(receiver.url, directory, ahead * HOUR);
      if (index === 0) await life.publish(someEvents(1));
      await receiver.requests(index + 1);
      await until(
        () => life.spool.size === (index < 2 ? 1 : 0) && !life.spool.untried && life.said.length > 0,
      );
      // What is parked has left the queue.
      await vi.waitFor(async () => expect(await life.queued()).toEqual([]));
      await life.kill();
      firstReceived.push(...[...new SpoolFile(life.spool.path).values()].map(each => each.firstReceived));
    }
    expect(firstReceived).toEqual([expect.any(Number), firstReceived[0]]);
    const letters = readFileSync(join(directory, 'dead-letters/crm.jsonl'), 'utf8').trim().split('\n');
    expect(letters).toHaveLength(1);
    const { Attempts, MessageAttributes } = JSON.parse(letters[0] ?? '');
    expect(Attempts).toBe(3);
    expect(Date.parse(MessageAttributes.firstReceived.StringValue)).toBe(firstReceived[0]);
  });
});
