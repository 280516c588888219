import { appendFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { createPublish, type Publish } from '../../functions/handlers/create-publish.ts';
import type { Queue } from '../../functions/queue/queue.ts';
import type { SqliteDeliveries } from '../../functions/store/sqlite/store.ts';
import { sleep } from '../basics/sleep.ts';
import type { DataDirectory, RunContext } from '../data/data-directory.ts';
import { Topic } from '../loops/topic.ts';
import type { WantedSubscription } from '../settings/wanted-subscriptions.ts';
import { type LocalSns, localSns } from '../sns/sns.ts';
import { Recent } from '../terminal/recent.ts';
import { subscriptionTeller } from './subscription-teller.ts';
import { takeUp } from './undelivered.ts';

export interface StartedTopic {
  readonly topic: Topic;
  readonly sns: LocalSns;
  readonly publish: Publish;
  /** Labels of the subscriptions that have not confirmed. */
  readonly unconfirmed: readonly string[];
  /** True when a message became a dead letter. */
  readonly gaveUp: () => boolean;
}

interface Parts extends RunContext {
  readonly deliveries: SqliteDeliveries;
  readonly queues: { readonly events: Pick<Queue, 'send'> };
  /** Names of the subscriptions whose dead letters are sent again. */
  readonly resend: ReadonlySet<string>;
}

/** How many events are remembered, so that one that is published twice (after a crash, or with a full
 *  disk) is printed once. */
const REMEMBERED = 10_000;

/**
 * Starts the topic, whose events are printed, and the subscriptions. A subscription never gets what was
 * published before it confirmed. So nothing is published for up to `patience` ms, in which each may
 * confirm. One that confirmed in an earlier run needs no time, even when its receiver is away now.
 */
export async function startTopic(
  parts: Parts,
  wanted: { subscriptions: readonly WantedSubscription[]; patience: number },
): Promise<StartedTopic> {
  const { closers, directory, output, deliveries, queues } = parts;
  let gaveUp = false;
  const topic = new Topic({ queue: queues.events, deliveries, clock: Date.now });
  const printed = new Recent(REMEMBERED);
  topic.listen(event => {
    // In CloudEvents an id is unique within one source only.
    const key = `${event.source} ${event.id}`;
    if (!printed.has(key)) output.event(event);
    printed.add(key);
  });
  const tell = subscriptionTeller(output, wanted.subscriptions, Date.now);
  const sns = localSns({
    topic,
    deliveries,
    dataDirectory: directory.path,
    clock: Date.now,
    sleep,
    onNotice: notice => {
      gaveUp ||= notice.kind === 'dead-lettered';
      tell(notice);
    },
  });
  closers.add(sns.stop);
  const subscribed = await Promise.all(
    wanted.subscriptions.map(async ({ label, ...options }) => {
      const made = await sns.subscribe(options);
      await takeUp(parts, { endpoint: made.endpoint, label }, Date.now());
      await made.backlog.bringForward();
      return { label, ...made };
    }),
  );
  sns.forgetOthers();
  const inTime = await Promise.all(
    subscribed.map(({ confirmed }) => resolvesWithin(confirmed, wanted.patience)),
  );
  const unconfirmed = subscribed.filter((_, index) => !inTime[index]).map(({ label }) => label);
  return { topic, sns, publish: publisher(topic, parts), unconfirmed, gaveUp: () => gaveUp };
}

function publisher(topic: Topic, { directory, output }: RunContext): Publish {
  return createPublish({
    sns: topic as unknown as Parameters<typeof createPublish>[0]['sns'],
    topicArn: topic.arn,
    reject: async rejected => keepRejected(directory, rejected),
    sleep,
    random: Math.random,
    log: output.log,
    count: () => undefined,
  });
}

/** Keeps what no handler could process, for a person. */
export function keepRejected(directory: DataDirectory, rejected: object): void {
  const line = `${JSON.stringify(rejected)}\n`;
  appendFileSync(directory.file('rejected.jsonl'), line, { flush: true, mode: 0o600 });
}

async function resolvesWithin(promise: Promise<void>, ms: number): Promise<boolean> {
  const late = new AbortController();
  const timer = wait(ms, false, { signal: late.signal }).catch(() => false);
  const result = await Promise.race([promise.then(() => true).catch(() => false), timer]);
  late.abort();
  return result;
}
