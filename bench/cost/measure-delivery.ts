import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { recordOfItem } from '../../test/kit/dynamodb/lambda-record.ts';
import type { Sent } from './queues.ts';
import { record } from './record.ts';
import { type Running, start } from './runner.ts';
import type { Size } from './sizes.ts';
import type { FunctionFacts, Stack } from './stack.ts';
import { meanOf, NOTHING, plus, type Used } from './used.ts';
import { PROCESS, type World } from './world.ts';

/** What a batch of one message uses, and each further message of a batch. */
interface Batch {
  readonly first: Used;
  readonly further: Used;
}

/** The functions on the way of an event, from the stream to the receivers. */
export interface Delivering {
  readonly publish: Batch;
  readonly route: Batch;
  readonly deliver: Batch;
}

/** Environments of the deliver function: where there is much to do, as many as Lambda has pollers. */
const ENVIRONMENTS = 5;
const RUNS = 24;
const DAY_MS = 86_400_000;
const LARGEST = 10;

/** Sends change records through the functions, as far apart as in a stack of this size. */
export async function measureDelivery(
  { functions, size }: Stack & { size: Size },
  changes: readonly Record<string, AttributeValue>[],
  world: World,
  inits: Record<string, number>,
): Promise<Delivering> {
  const apart = DAY_MS / size.changesPerDay;
  const started: Record<string, Running> = {};
  const open = async (name: string) => {
    const running = await start(name, functions[name] as FunctionFacts, world.forRunning);
    inits[name] = running.init;
    started[name] = running;
    return running;
  };
  try {
    const records = changes.map((item, index) =>
      recordOfItem(item as never, 'arn:stream', String(index + 1)),
    );
    const publish = await open('publish');
    const published = await batches(world, publish, apart, count => ({ Records: records.slice(0, count) }));
    const events = published.sent.slice(0, LARGEST);
    const route = await open('route');
    const routed = await batches(world, route, apart, count => ({
      Records: events.slice(0, count).map(sent => delivered(sent, world.ahead())),
    }));
    const messages = spread(routed.sent, size);
    const deliver = await open('deliver');
    let next = 0;
    const some = (count: number) =>
      Array.from({ length: count }, () => messages[next++ % messages.length] as Sent).map(sent =>
        delivered(sent, world.ahead()),
      );
    // The secret of each endpoint is read once in an environment, which `month.ts` counts.
    for (let warmed = 0; warmed < size.endpoints; warmed += LARGEST)
      await deliver.run({ Records: some(LARGEST) }, world.ahead());
    world.aws.takeSent();
    // The deliveries of one event come at once. In the large stack several environments share them, so
    // each gets one less often.
    const gap = (size.name === 'large' ? ENVIRONMENTS : 1) * (apart / size.wanted);
    const done = await batches(world, deliver, gap, count => ({ Records: some(count) }), RUNS * 3, true);
    return { publish: published.batch, route: routed.batch, deliver: done.batch };
  } finally {
    for (const running of Object.values(started)) await running.stop();
  }
}

/** Batches of one, then of ten, `apart` ms from each other. */
async function batches(
  world: World,
  running: Running,
  apart: number,
  make: (count: number) => object,
  runs = RUNS,
  expected = false,
): Promise<{ batch: Batch; sent: Sent[] }> {
  const used: Record<number, Used> = {};
  let sent: Sent[] = [];
  for (const count of [1, LARGEST]) {
    const all: Used[] = [];
    for (let run = 0; run < runs; run++) {
      world.later(apart * count);
      const { used: one, result } = await running.run<{ batchItemFailures: unknown[] }>(
        make(count),
        world.ahead(),
      );
      if (result.batchItemFailures.length > 0) throw new Error(`Failures: ${JSON.stringify(result)}`);
      // Without the first runs, in which the function reads what later ones have in memory, and in which
      // code is compiled.
      if (run >= runs / 4) all.push(one);
      sent = world.aws.takeSent();
    }
    used[count] = meanOf(all);
    if (expected && used[count].asked < 1)
      throw new Error(`Nothing was sent: ${JSON.stringify(used[count])}`);
  }
  const [first, ten] = [used[1], used[LARGEST]] as [Used, Used];
  const further = plus(NOTHING, plus(ten, first, -1), 1 / (LARGEST - 1));
  return { batch: { first, further }, sent };
}

/** A message as the function gets it from a queue, right after it was sent. */
function delivered({ body, group, attributes }: Sent, ahead: number) {
  const messageAttributes = Object.fromEntries(
    Object.entries(attributes).map(([name, { DataType, StringValue }]) => [
      name,
      { dataType: DataType, stringValue: StringValue },
    ]),
  );
  const system = group === undefined ? {} : { MessageGroupId: group };
  const now = String(Date.now() + ahead);
  return record(body, {
    attributes: {
      ApproximateReceiveCount: '1',
      SentTimestamp: now,
      ApproximateFirstReceiveTimestamp: now,
      ...system,
    },
    messageAttributes,
  });
}

/** Messages for all endpoints of the stack in turn, of several events, made from the routed ones. Where
 *  each endpoint wants some processes only, `hook7` wants `p7`. */
function spread(messages: readonly Sent[], { endpoints, wanted }: Size): Sent[] {
  if (messages.length === 0) throw new Error('Nothing was routed.');
  return Array.from({ length: endpoints * LARGEST }, (_, index) => {
    const message = messages[index % messages.length] as Sent;
    const number = 1 + (index % endpoints);
    const sent = JSON.parse(
      JSON.stringify(message).replaceAll(`"${message.group}"`, `"hook${number}"`),
    ) as Sent;
    return endpoints > wanted
      ? { ...sent, body: sent.body.replaceAll(`"${PROCESS}"`, `"p${number}"`) }
      : sent;
  });
}
