import type { DynamoDBRecord } from 'aws-lambda';
import { expect, it, onTestFinished } from 'vitest';
import type { Routed } from '../../functions/delivery/queues.ts';
import { createRegistry } from '../../functions/delivery/registry.ts';
import { createDeliver } from '../../functions/handlers/create-deliver.ts';
import { createPublish } from '../../functions/handlers/create-publish.ts';
import { createRoute } from '../../functions/handlers/create-route.ts';
import type { ChangeEvent } from '../../functions/model/event.ts';
import { encode } from '../../functions/store/codec.ts';
import { answer, startReceiver } from '../kit/delivery/receiver.ts';
import {
  batchOf,
  endpointOf,
  messageOf,
  openSetting,
  SECOND,
  SECRET,
  someEvents,
} from '../kit/delivery/setting.ts';
import { openStage } from '../kit/stage.ts';
import { PROCESS } from '../kit/world.ts';
import { TopicModel } from '../simulation/models/topic.ts';

const stage = openStage();

interface Line {
  readonly from: string;
  readonly level: string;
  readonly message: string;
}

/** The functions behind the stream, with their logs in one place, as CloudWatch has them. */
async function open() {
  const receiver = await startReceiver(answer(200));
  onTestFinished(receiver.stop);
  const lines: Line[] = [];
  const logOf = (from: string) => {
    const say = (level: string) => (message: string, details?: object) =>
      void lines.push({ ...details, from, level, message });
    return { info: say('info'), warn: say('warn'), error: say('error') };
  };
  const { dependencies, rows, state } = openSetting();
  const registry = createRegistry(
    ['crm', 'bi'].map(name => endpointOf('webhook', name)),
    rows,
    () => state.now,
  );
  const topic = new TopicModel({ arn: 'arn:aws:sns:eu-west-1:1:events' });
  const published: string[] = [];
  topic.subscribe(({ body }) => published.push(body));
  const routed: Routed[] = [];
  const publish = createPublish({
    sns: { send: async ({ input }: never) => topic.publishBatch(input, new Set()) } as never,
    ...{ topicArn: topic.arn, sleep: async () => {}, random: () => 0, reject: async () => {} },
    ...{ count: () => {}, log: logOf('publish') },
  });
  const send = async (all: readonly Routed[]) => {
    routed.push(...all);
    return { indexes: [] };
  };
  const { moveToFailed } = dependencies;
  const route = createRoute({ registry, log: logOf('route'), send, moveToFailed });
  const { openPoster, readSecret, jobsOf, ...others } = dependencies;
  const deliver = createDeliver({
    ...others,
    ...{ registry, log: logOf('deliver'), allowLoopback: true, timeout: 5_000 },
    secrets: {
      read: async () => JSON.stringify({ url: `${receiver.url}?key=hush`, secrets: [SECRET] }),
      nameOf: name => name,
      putting: () => '',
    },
  });
  const context = { awsRequestId: 'r', getRemainingTimeInMillis: () => 170 * SECOND };
  return {
    ...{ lines, receiver },
    async play(events: readonly ChangeEvent[]) {
      const change = {
        eventName: 'INSERT',
        dynamodb: {
          ...{ SequenceNumber: '1', Keys: { pk: { S: 'W#eu#P#p' }, sk: { S: 'CHANGE#1#p#1' } } },
          NewImage: { events: { B: Buffer.from(encode(events)).toString('base64') } },
        },
      };
      await publish({ Records: [change as unknown as DynamoDBRecord] }, context);
      await route(batchOf(published.map((body, index) => messageOf(`e${index}`, body))), context);
      const messages = routed.map(({ to, body }, index) => messageOf(`m${index}`, body, { to: to.name }));
      await deliver(batchOf(messages), context);
    },
  };
}

it('one query for an event’s id finds a line of each stage: one for the pass, the publish batch, the route batch and each delivery batch', async () => {
  const world = await stage.create({ projects: 2, tasksPerProject: 3 });
  await world.run();
  const { lines, play, receiver } = await open();
  for (const id of ['1001', '1002']) world.edit.updateProject(PROCESS, id, { budget: '31415' });
  await world.later();
  const events = await world.events();
  expect(events.length).toBeGreaterThan(1);
  await play(events);
  expect(receiver.received).toHaveLength(2 * events.length);
  for (const { id } of events) {
    const all = [
      ...world.said.map(({ details, ...line }) => ({ ...details, from: 'poll', ...line })),
      ...lines,
    ];
    const found = all.filter(line => JSON.stringify(line).includes(JSON.stringify(id)));
    expect(found).toMatchObject([
      { from: 'poll', level: 'info', message: 'Pass ended.', mode: 'changes', outcome: 'completed' },
      { from: 'publish', level: 'info', message: 'Publish batch ended.' },
      { from: 'route', level: 'info', message: 'Route batch ended.', deliveries: 2 * events.length },
      { from: 'deliver', level: 'info', endpoint: 'crm', outcome: 'delivered', attempts: events.length },
      { from: 'deliver', level: 'info', endpoint: 'bi', outcome: 'delivered', attempts: events.length },
    ]);
  }
  expect(lines).toHaveLength(4);
  expect(JSON.stringify([lines, world.said])).not.toContain('31415');
});

it('invariant 10: none of these lines holds a secret, an address, or anything of a record', async () => {
  const { lines, play, receiver } = await open();
  await play(someEvents(3));
  const text = JSON.stringify(lines);
  for (const part of ['hush', SECRET.slice(6), new URL(receiver.url).host, 'Acme', 'Note'])
    expect(text).not.toContain(part);
});
