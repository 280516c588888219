import { AssertionError, logIfAssertion } from '../basics/assert.ts';
import { Gathered, logEvents, present } from '../basics/telemetry.ts';
import { deliverBatch } from '../delivery/deliver-batch.ts';
import { type DrainDependencies, drain } from '../delivery/drain.ts';
import { EndpointHealth } from '../delivery/endpoint-health.ts';
import { closedTo } from '../delivery/health.ts';
import { giveUpUntaken, keepForConsumer } from '../delivery/pull/pull.ts';
import { addressOf, TICK_MS, tryToWake } from '../delivery/queues.ts';
import { placeOf } from '../delivery/read-event.ts';
import type { Registered, Registry } from '../delivery/registry.ts';
import { sendReports } from '../delivery/reports.ts';
import { type RetryTiming, STANDARD_TIMING } from '../delivery/retries.ts';
import { type Sender, type SenderOptions, senderOf } from '../delivery/sender.ts';
import { QueueSettler } from '../delivery/settlers.ts';
import type { EndpointSettings } from '../model/endpoint.ts';
import { isPulled } from '../model/kinds.ts';
import { firstSentAt } from '../queue/failed-messages.ts';
import { type Batch, type Message, type Serve, showAgain } from '../queue/queue.ts';

type Tools = DrainDependencies & Pick<Batch, 'queue'>;

interface DeliverDependencies
  extends SenderOptions,
    Omit<DrainDependencies, keyof Sender | 'run' | 'remaining' | 'later' | 'timing'> {
  readonly registry: Pick<Registry, 'read' | 'all'>;
  /** By default that of Standard Webhooks, over three days. */
  readonly timing?: RetryTiming;
}

/** The longest time in which a deployment updates this function after `route.ts`, or rolls it back. */
const UNKNOWN_KEPT_MS = 5 * 60_000;
const UNKNOWN_PAUSE_S = 15;

/** The maximum difference between the clocks of SQS and of the operations. */
const CLOCKS_DIFFER_MS = 30_000;

/** Sends HTTP requests for the messages of the queues. A delivery that fails or must wait becomes a row; a
 *  message that is returned as failed was not tried, or its row could not be written. */
export function createDeliver(dependencies: DeliverDependencies): Serve {
  const { registry, log, timing = STANDARD_TIMING } = dependencies;
  const sender = senderOf(dependencies);

  return async ({ messages, queue }, context) => {
    const remaining = () => context.getRemainingTimeInMillis();
    // Lambda may start two runs for one request: the random number keeps them apart.
    const run = `${context.awsRequestId}/${dependencies.random()}`;
    const counted = new Gathered();
    const parts = { timing, remaining, run, queue, count: counted.add, sendReports: tryToReport };
    const tools = { ...dependencies, ...sender, ...parts };
    const groups = Map.groupBy(messages, message => addressOf(message).name);
    try {
      const again = await Promise.all([...groups].map(([name, some]) => tryToServe(name, some, tools)));
      return again.flat();
    } finally {
      dependencies.count(present(counted.values));
    }
  };

  async function tryToReport(endpoint: string): Promise<void> {
    try {
      await sendReports(endpoint, dependencies);
    } catch (error) {
      logIfAssertion(log, error, { endpoint });
      const details = { code: 'endpoint.not-reported', endpoint, error: String(error) };
      log.warn("Could not report an endpoint's health to others; the next tick retries.", details);
    }
  }

  /** Leaves all messages of an endpoint in the queue when an assertion fails: other endpoints are served. */
  async function tryToServe(
    name: string,
    messages: readonly Message[],
    tools: Tools,
  ): Promise<readonly string[]> {
    try {
      return await serve(name, messages, tools);
    } catch (error) {
      logIfAssertion(log, error, { endpoint: name });
      if (!(error instanceof AssertionError)) throw error;
      return showAgain({ ...tools, messages }, log);
    }
  }

  /** @returns the ids of messages that must stay in the queue */
  async function serve(name: string, messages: readonly Message[], tools: Tools): Promise<readonly string[]> {
    const { wakes = [], all = [] } = Object.groupBy(messages, message =>
      addressOf(message).isWake ? 'wakes' : 'all',
    );
    let found: Registered | undefined;
    try {
      found = await registry.read(name);
    } catch (error) {
      log.error('Could not read an endpoint; its messages are received again.', {
        code: 'deliver.endpoint-unreadable',
        endpoint: name,
        error: String(error),
      });
      return showAgain({ ...tools, messages }, log);
    }
    if (!found) return settleUnknown(name, { ...tools, messages: all });
    const { endpoint, row } = found;
    const addedAt = (row?.settings && row.addedAt) ?? 0;
    // A time that lies ahead was written before the clock was set back: it shows nothing.
    const since = addedAt > dependencies.clock() + CLOCKS_DIFFER_MS ? 0 : addedAt;
    const { events = [], earlier } = Object.groupBy(all, message =>
      firstSentAt(message) >= since - CLOCKS_DIFFER_MS ? 'events' : 'earlier',
    );
    const left = earlier ? await dropEarlier(found, earlier, tools) : [];
    const serveAll = isPulled(endpoint) ? keep : send;
    return [...left, ...(await serveAll(found, events, wakes, tools))];
  }

  /** Deliveries for an earlier endpoint of this name, and their rows, which a run that died may have left. */
  async function dropEarlier(
    { endpoint, row }: Registered,
    events: readonly Message[],
    tools: Tools,
  ): Promise<readonly string[]> {
    const { name } = endpoint;
    const settler = new QueueSettler(name, new EndpointHealth(endpoint, row, tools), events, tools);
    for (const delivery of settler.open) await settler.unwanted(delivery);
    drop(name, events);
    return settler.again;
  }

  /** For a consumer, which takes them. */
  async function keep(
    { endpoint, row }: Registered,
    events: readonly Message[],
    wakes: readonly Message[],
    tools: Tools,
  ): Promise<readonly string[]> {
    const { name } = endpoint;
    const settler = new QueueSettler(name, new EndpointHealth(endpoint, row, tools), events, tools);
    if (events.length > 0) await keepForConsumer(settler, tools, name);
    if (wakes.length > 0) await drainBacklog({ endpoint, row }, tools);
    return settler.again;
  }

  async function send(
    { endpoint, row }: Registered,
    events: readonly Message[],
    wakes: readonly Message[],
    tools: Tools,
  ): Promise<readonly string[]> {
    const { name } = endpoint;
    const health = new EndpointHealth(endpoint, row, tools);
    const settler = new QueueSettler(name, health, events, tools);
    const { clock } = dependencies;
    const wasOpen = closedTo(health.now, clock()) === undefined;
    if (events.length > 0) await deliverBatch({ endpoint, health, settler, isNew: true }, tools);
    // While the endpoint is closed, a drain is already scheduled; but another run may have opened it since.
    const isUnscheduled = wasOpen || health.hasBegunBacklog;
    const drainAt = health.hasBacklog
      ? clock()
      : isUnscheduled
        ? health.opensAfter(settler.dueAt)
        : undefined;
    if (drainAt !== undefined) await wake(endpoint, drainAt);
    if (wakes.length > 0) await drainBacklog({ endpoint, row }, tools);
    return settler.again;
  }

  /** Keeps recent deliveries of an unknown endpoint in the queue, because a deployment may be updating this
   *  function; drops older ones.
   *  @returns the ids of messages that must stay in the queue */
  async function settleUnknown(endpoint: string, { messages, queue }: Batch): Promise<readonly string[]> {
    const oldest = dependencies.clock() - UNKNOWN_KEPT_MS;
    const { young = [], old } = Object.groupBy(messages, ({ sentAt }) => (sentAt > oldest ? 'young' : 'old'));
    if (old) drop(endpoint, old);
    return showAgain({ messages: young, queue }, log, () => UNKNOWN_PAUSE_S);
  }

  function drop(endpoint: string, events: readonly Message[]): void {
    const ids = events.map(({ body, id }) => placeOf(body)?.id ?? id);
    logEvents(log, 'Unknown endpoint; its deliveries are dropped.', ids, {
      code: 'deliver.unknown-endpoint',
      endpoint,
    });
  }

  /** Wakes a run at `at` (ms since 1970) for deliveries that became rows, so that they don't wait for the
   *  tick. Later ones are left to the next tick. */
  async function wake(endpoint: EndpointSettings, at: number): Promise<void> {
    const wait = at - dependencies.clock();
    if (wait < TICK_MS) await tryToWake(endpoint, wait, dependencies.queues, log.warn);
  }

  async function drainBacklog({ endpoint, row }: Registered, tools: Tools): Promise<void> {
    try {
      await (isPulled(endpoint)
        ? giveUpUntaken(endpoint.name, tools)
        : drain(endpoint, { ...tools, addedAt: row?.addedAt }));
    } catch (error) {
      logIfAssertion(log, error, { endpoint: endpoint.name });
      log.error('Could not drain the backlog of an endpoint; the next tick retries.', {
        code: 'backlog.drain-failed',
        endpoint: endpoint.name,
        error: String(error),
      });
    }
  }
}
