import { Gathered, logEvents, present } from '../basics/telemetry.ts';
import { deliverBatch } from '../delivery/deliver-batch.ts';
import { type DrainDependencies, drain } from '../delivery/drain.ts';
import { EndpointHealth } from '../delivery/endpoint-health.ts';
import { closedTo } from '../delivery/health.ts';
import { addressOf, TICK_MS, tryToWake } from '../delivery/queues.ts';
import { placeOf } from '../delivery/read-event.ts';
import type { Registered, Registry } from '../delivery/registry.ts';
import { type RetryTiming, STANDARD_TIMING } from '../delivery/retries.ts';
import { type Sender, type SenderOptions, senderOf } from '../delivery/sender.ts';
import { QueueSettler } from '../delivery/settlers.ts';
import type { EndpointSettings } from '../model/endpoint.ts';
import { type Batch, type Message, type Serve, showAgain } from '../queue/queue.ts';

/** What Lambda's context tells of the run. */
export interface DeliverContext {
  readonly awsRequestId: string;
  getRemainingTimeInMillis(): number;
}

/** What one run works with. */
type Tools = DrainDependencies & Pick<Batch, 'queue'>;

export type Deliver = Serve<DeliverContext>;

export interface DeliverDependencies
  extends SenderOptions,
    Omit<DrainDependencies, keyof Sender | 'run' | 'remaining' | 'later' | 'timing'> {
  readonly registry: Pick<Registry, 'read'>;
  /** By default that of Standard Webhooks, over three days. */
  readonly timing?: RetryTiming;
}

/** How long a deployment may take to update this function after `route.ts`, or to roll it back. */
const UNKNOWN_KEPT_MS = 5 * 60_000;
const UNKNOWN_PAUSE_S = 15;

/** By how much the clocks of SQS and of the operations may differ. */
const CLOCKS_DIFFER_MS = 30_000;

/** The deliverer: messages of the queues in, HTTP requests out. A delivery that fails or must wait becomes a
 *  row; a message that is returned as failed was not tried, or its row could not be written. */
export function createDeliver(dependencies: DeliverDependencies): Deliver {
  const { registry, log, timing = STANDARD_TIMING } = dependencies;
  const sender = senderOf(dependencies);

  return async ({ messages, queue }, context) => {
    const remaining = () => context.getRemainingTimeInMillis();
    // Lambda may begin two runs for one request: the random number tells them apart.
    const run = `${context.awsRequestId}/${dependencies.random()}`;
    const counted = new Gathered();
    const tools = { ...dependencies, ...sender, timing, remaining, run, queue, count: counted.add };
    const groups = Map.groupBy(messages, message => addressOf(message).name);
    try {
      const again = await Promise.all([...groups].map(([name, some]) => serve(name, some, tools)));
      return again.flat();
    } finally {
      dependencies.count(present(counted.values));
    }
  };

  /** @returns the ids of messages that must stay in the queue */
  async function serve(name: string, messages: readonly Message[], tools: Tools): Promise<readonly string[]> {
    const { wakes = [], all = [] } = Object.groupBy(messages, message =>
      addressOf(message).isWake ? 'wakes' : 'all',
    );
    let found: Registered | undefined;
    try {
      found = await registry.read(name);
    } catch (error) {
      log.error('An endpoint could not be looked up; its messages come again.', {
        endpoint: name,
        error: String(error),
      });
      return showAgain({ ...tools, messages }, log);
    }
    if (!found) return settleUnknown(name, { ...tools, messages: all });
    const { endpoint, row } = found;
    const since = (row?.settings && row.addedAt) ?? 0;
    const { events = [], earlier } = Object.groupBy(all, ({ sentAt }) =>
      sentAt >= since - CLOCKS_DIFFER_MS ? 'events' : 'earlier',
    );
    if (earlier) drop(name, earlier);
    const health = new EndpointHealth(name, row, tools);
    const settler = new QueueSettler(name, health, events, tools);
    const { clock } = dependencies;
    // While it is closed, rows are looked after already.
    const wasOpen = closedTo(health.now, clock()) === undefined;
    if (events.length > 0) await deliverBatch({ endpoint, health, settler, isNew: true }, tools);
    const lookAt = health.hasBacklog ? clock() : wasOpen ? health.opensAfter(settler.dueAt) : undefined;
    if (lookAt !== undefined) await wake(endpoint, lookAt);
    if (wakes.length > 0) await sendWaiting(endpoint, tools);
    return settler.again;
  }

  /** Keeps young deliveries of an unknown endpoint in the queue, because this function may be updated with its
   *  configuration at this moment; drops older ones.
   *  @returns the ids of messages that must stay in the queue */
  async function settleUnknown(endpoint: string, { messages, queue }: Batch): Promise<readonly string[]> {
    const oldest = dependencies.clock() - UNKNOWN_KEPT_MS;
    const { young = [], old } = Object.groupBy(messages, ({ sentAt }) => (sentAt > oldest ? 'young' : 'old'));
    if (old) drop(endpoint, old);
    return showAgain({ messages: young, queue }, log, () => UNKNOWN_PAUSE_S);
  }

  function drop(endpoint: string, events: readonly Message[]): void {
    const ids = events.map(({ body, id }) => placeOf(body)?.id ?? id);
    logEvents(log, 'An endpoint is unknown; its deliveries are dropped.', ids, { endpoint });
  }

  /** Wakes a run at `at` (ms since 1970) for deliveries that became rows, so that they don't wait for the tick.
   *  What is due later than the next tick is left to it. */
  async function wake(endpoint: EndpointSettings, at: number): Promise<void> {
    const wait = at - dependencies.clock();
    if (wait < TICK_MS) await tryToWake(endpoint, wait, dependencies.queues, log.warn);
  }

  async function sendWaiting(endpoint: EndpointSettings, tools: Tools): Promise<void> {
    try {
      await drain(endpoint, tools);
    } catch (error) {
      // The next tick wakes another run.
      log.error('Could not send the backlog of an endpoint.', {
        endpoint: endpoint.name,
        error: String(error),
      });
    }
  }
}
