import { appendFileSync } from 'node:fs';
import type { Clock, Sleep } from '../../functions/basics/clock.ts';
import { within } from '../../functions/basics/within.ts';
import { createPublish, type Publish } from '../../functions/handlers/create-publish.ts';
import type { ChangeEvent } from '../../functions/model/event.ts';
import type { Queue } from '../../functions/queue/queue.ts';
import type { SqliteDeliveries } from '../../functions/store/sqlite/store.ts';
import type { DataDirectory, RunContext } from '../data/data-directory.ts';
import { EndpointLog } from '../loops/endpoint-log.ts';
import { Topic } from '../loops/topic.ts';
import type { Metrics } from '../operate/metrics.ts';
import type { WantedSubscription } from '../settings/wanted-subscriptions.ts';
import { LocalSns, type SnsConnections } from '../sns/sns.ts';

export interface StartedTopic {
  readonly sns: LocalSns;
  readonly publish: Publish;
  /** Labels of the subscriptions that have not confirmed. */
  readonly unconfirmed: readonly string[];
}

interface Parts extends RunContext {
  readonly deliveries: SqliteDeliveries;
  readonly queues: { readonly events: Pick<Queue, 'send'> };
  readonly metrics: Pick<Metrics, 'published'>;
  readonly clock: Clock;
  readonly sleep: Sleep;
  /** By default over the network of this machine. */
  readonly connections?: SnsConnections | undefined;
}

/**
 * Starts the topic, whose events are printed, and the subscriptions. A subscription never gets what was
 * published before it confirmed. So nothing is published for up to `confirmWithin` ms, in which each may
 * confirm. One that confirmed in an earlier run needs no time, even when its receiver is away now.
 */
export async function startTopic(
  parts: Parts,
  wanted: { subscriptions: readonly WantedSubscription[]; confirmWithin: number },
): Promise<StartedTopic> {
  const { closers, directory, output, deliveries, queues, metrics, clock, sleep, connections } = parts;
  const topic = new Topic({ queue: queues.events, deliveries, clock });
  topic.listen(
    once(event => {
      metrics.published(event);
      output.event(event);
    }),
  );
  const warn = (label: string, text: string, code: string) =>
    output.warn(`${label}: ${text}`, { code, endpoint: label });
  const log = new EndpointLog(warn, output.log, clock);
  const sns = new LocalSns({
    ...{ topic, deliveries, dataDirectory: directory.path, clock, sleep, connections },
    log: {
      warn,
      info: (label, text, code) => output.info(`${label}: ${text}`, { code, endpoint: label }),
      failed: (label, attempt) => log.failed(label, attempt),
      arrived: (label, all) => log.arrived(label, all),
    },
  });
  closers.defer(() => sns.stop());
  const subscribed = await Promise.all(wanted.subscriptions.map(options => sns.subscribe(options)));
  sns.forgetOthers();
  const unconfirmed = await Promise.all(
    subscribed.map(({ confirmed, label }) =>
      within(
        wanted.confirmWithin,
        () => confirmed,
        () => new Error('late'),
      ).then(
        () => [],
        () => [label],
      ),
    ),
  );
  return { sns, publish: publisher(topic, parts), unconfirmed: unconfirmed.flat() };
}

/** Events are remembered up to this number, so that one that is published twice (after a crash, or with a full
 *  disk) is printed once. */
const MAX_REMEMBERED = 10_000;

function once(print: (event: ChangeEvent) => void): (event: ChangeEvent) => void {
  const printed = new Set<string>();
  return event => {
    // In CloudEvents an id is unique within one source only.
    const key = `${event.source} ${event.id}`;
    if (printed.has(key)) return;
    print(event);
    printed.add(key);
    const [oldest = key] = printed;
    if (printed.size > MAX_REMEMBERED) printed.delete(oldest);
  };
}

function publisher(topic: Topic, { directory, output, sleep }: Parts): Publish {
  return createPublish({
    sns: topic as unknown as Parameters<typeof createPublish>[0]['sns'],
    topicArn: topic.arn,
    reject: async rejected => keepRejected(directory, rejected),
    sleep,
    random: Math.random,
    log: output.log,
  });
}

/** Keeps a message that a handler could not process. */
export function keepRejected(directory: DataDirectory, rejected: object): void {
  const line = `${JSON.stringify(rejected)}\n`;
  appendFileSync(directory.file('rejected.jsonl'), line, { flush: true, mode: 0o600 });
}
