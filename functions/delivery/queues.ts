import { inParallel } from '../basics/in-parallel.ts';
import type { Log } from '../basics/telemetry.ts';
import { type EndpointSettings, queueOf } from '../model/endpoint.ts';
import { type Message, type NewMessage, type Queue, sendOne, type Unsent, unsentOf } from '../queue/queue.ts';
import { wakesAt } from './health.ts';
import type { Registered } from './registry.ts';

type Addressee = Pick<EndpointSettings, 'name' | 'kind' | 'batch'>;

export interface Routed {
  readonly to: Addressee;
  readonly body: string;
}

/** The queue of drains: each message wakes a run, which sends an endpoint's backlog for one turn. It has runs of
 *  its own, so that backlogs delay no new delivery. */
export interface Queues {
  /** Wakes a run to drain the endpoint's backlog in `seconds` (0 to 900). */
  wake(endpoint: Addressee, seconds: number): Promise<void>;
}

/** Queues messages for endpoints, those of each queue in their order, as long as `hasTime`. Never rejects. */
export type Send = (messages: readonly Routed[], hasTime?: () => boolean) => Promise<Unsent>;

/** Body and attribute of a message without an event, which only wakes a drain. */
const WAKE = 'wake';
const ENDPOINT = 'endpoint';

export function addressOf({ attributes }: Pick<Message, 'attributes'>): { name: string; isWake: boolean } {
  return { name: attributes[ENDPOINT] ?? '', isWake: attributes[WAKE] !== undefined };
}

export function wakeBy(drains: Pick<Queue, 'name' | 'send'>): Queues {
  return {
    wake: ({ name }, seconds) =>
      sendOne(drains, {
        body: WAKE,
        group: name,
        attributes: { [ENDPOINT]: name, [WAKE]: '1' },
        delay: seconds,
      }),
  };
}

/** Uses fair queues, with the endpoint as message group: an endpoint that has many deliveries, or is slow,
 *  delays no other. Chats and batches have their own queue, for which Lambda waits a moment, so that one message can
 *  have several events. */
export function sendBy(queues: Readonly<Record<'deliveries' | 'chat', Pick<Queue, 'send'>>>): Send {
  return async (messages, hasTime) => {
    const byQueue = Map.groupBy(messages.entries(), ([, { to }]) => queueOf(to));
    const sent = [...byQueue].map(async ([name, some]) => {
      const unsent = await queues[name].send(
        some.map(([, message]) => messageOf(message)),
        hasTime,
      );
      return { ...unsent, indexes: unsentOf(some, unsent.indexes).map(([index]) => index) };
    });
    const unsent = await Promise.all(sent);
    const reason = unsent.find(part => part.reason !== undefined)?.reason;
    return {
      indexes: unsent.flatMap(({ indexes }) => indexes).toSorted((one, other) => one - other),
      ...(reason !== undefined && { reason }),
    };
  };
}

function messageOf({ to: { name }, body }: Routed): NewMessage {
  return { body, group: name, attributes: { [ENDPOINT]: name } };
}

export const TICK_MS = 60_000;
const CONCURRENCY = 20;

/** Wakes a run for each endpoint whose backlog is due before the next tick. This is the safety net after a killed
 *  run or a lost message. A failure for one endpoint does not affect the others.
 *  @param period ms until the next tick, which handles later deliveries
 *  @returns how many were woken */
export async function wakeWaiting(
  all: readonly Registered[],
  { queues, log }: { readonly queues: Pick<Queues, 'wake'>; readonly log: Pick<Log, 'error'> },
  now: number,
  period = TICK_MS,
): Promise<number> {
  const due = all.flatMap(({ endpoint, row }) => {
    try {
      const at = row && wakesAt(row.health, now, endpoint);
      return at === undefined || at >= now + period ? [] : [{ endpoint, wait: at - now }];
    } catch (error) {
      reportUnscheduled(endpoint, error, log.error);
      return [];
    }
  });
  let woken = 0;
  await inParallel(due, CONCURRENCY, async ({ endpoint, wait }) => {
    if (await tryToWake(endpoint, wait, queues, log.error)) woken += 1;
  });
  return woken;
}

/** Wakes a run to drain the endpoint's backlog in `wait` ms. If that fails, the next tick wakes one.
 *  @returns whether it was woken */
export async function tryToWake(
  endpoint: Addressee,
  wait: number,
  queues: Pick<Queues, 'wake'>,
  report: Log['warn'],
): Promise<boolean> {
  try {
    await queues.wake(endpoint, Math.max(0, Math.ceil(wait / 1000)));
    return true;
  } catch (error) {
    reportUnscheduled(endpoint, error, report);
    return false;
  }
}

function reportUnscheduled({ name }: Addressee, error: unknown, report: Log['warn']): void {
  report('Could not schedule a drain of the backlog; the next tick retries.', {
    ...{ code: 'backlog.not-scheduled', endpoint: name, error: String(error) },
  });
}
