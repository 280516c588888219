import { appendFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../../functions/basics/clock.ts';
import { sleep } from '../../functions/basics/system.ts';
import { createPublish, type Publish } from '../../functions/handlers/create-publish.ts';
import type { Queue } from '../../functions/queue/queue.ts';
import type { SqliteDeliveries } from '../../functions/store/sqlite/store.ts';
import { Failures } from '../basics/outage.ts';
import type { DataDirectory, RunContext } from '../data/data-directory.ts';
import { Topic } from '../loops/topic.ts';
import type { WantedSubscription } from '../settings/wanted-subscriptions.ts';
import { type LocalSns, localSns } from '../sns/sns.ts';
import type { Notice } from '../sns/subscription.ts';
import type { Output } from '../terminal/output.ts';
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
  const tell = logSubscriptions(output, wanted.subscriptions, Date.now);
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

/** Reports what happens to the subscriptions, each by the name that people gave it. */
export function logSubscriptions(
  output: Pick<Output, 'say' | 'warn'>,
  wanted: readonly Pick<WantedSubscription, 'name' | 'label'>[],
  clock: Clock,
): (notice: Notice) => void {
  const labels = new Map(wanted.map(({ name, label }) => [name, label]));
  const failures = new Map<string, Failures>();
  const failuresOf = (name: string, warn: (text: string) => void): Failures => {
    const known = failures.get(name) ?? new Failures(warn, clock);
    failures.set(name, known);
    return known;
  };
  return ({ kind, name, text, attempt }) => {
    const label = labels.get(name) ?? name;
    const about = { endpoint: label };
    const warn = (line: string) => output.warn(`${label}: ${line}`, about);
    if (kind === 'confirmed') return output.say(`${label}: ${text}`, about);
    if (attempt === undefined) return warn(text);
    const { eventId, attempts, failure, pause } = attempt;
    const told = failuresOf(name, warn);
    if (failure === undefined) told.arrived(attempts > 1);
    else if (pause === undefined) told.gaveUp({ eventId, ...failure });
    else told.failed({ eventId, ...failure, pause });
  };
}

/** Remembers the last `capacity` ids, so that memory stays bounded however long the subscriber runs. */
class Recent {
  readonly #capacity: number;
  readonly #ids = new Set<string>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  add(id: string): void {
    this.#ids.add(id);
    const oldest = this.#ids.size > this.#capacity ? this.#ids.values().next().value : undefined;
    if (oldest !== undefined) this.#ids.delete(oldest);
  }
}
