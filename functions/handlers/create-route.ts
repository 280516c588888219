import { type Log, logEvents } from '../basics/telemetry.ts';
import type { Routed, Send } from '../delivery/queues.ts';
import { readEvent } from '../delivery/read-event.ts';
import type { Registry } from '../delivery/registry.ts';
import type { EndpointSettings } from '../model/endpoint.ts';
import { wants } from '../model/filter.ts';
import type { MoveToFailed } from '../queue/failed-messages.ts';
import { type Message, type Serve, showAgain } from '../queue/queue.ts';

export type Route = Serve<{ getRemainingTimeInMillis(): number }>;

interface RouteDependencies {
  readonly registry: Pick<Registry, 'settings'>;
  readonly send: Send;
  readonly moveToFailed: MoveToFailed;
  readonly log: Log;
}

/** No request to SQS begins with less time left: with its retry it takes 5 s, and then the events that were
 *  not reached must be shown again. */
const MIN_REMAINING_MS = 10_000;
/** Events whose missing endpoints are remembered. */
const MAX_REMEMBERED = 100;

type Matched = Routed & { readonly message: Message };

/** The deliveries of a batch of messages, and the ids of the events in it. */
interface Match {
  readonly routed: Matched[];
  readonly ids: Map<Message, string>;
  readonly malformed: { readonly message: Message; readonly reason: string }[];
}

/** The router: events of the topic in, one message for each endpoint that wants it out. If some of an event's
 *  messages could not be queued, it is routed again after seconds: by the same execution environment only to
 *  the endpoints that lack it, by another to all of them, with the same id. */
export function createRoute({ registry, send, moveToFailed, log }: RouteDependencies): Route {
  /** The endpoints that lack an event, by its message. */
  const lacking = new Map<string, ReadonlySet<string>>();

  return async ({ messages, queue }, context) => {
    const hasTime = () => context.getRemainingTimeInMillis() >= MIN_REMAINING_MS;
    let endpoints: readonly EndpointSettings[];
    try {
      endpoints = await registry.settings();
    } catch (error) {
      log.error('The endpoints could not be read; the events are routed again.', { error: String(error) });
      return showAgain({ messages, queue }, log);
    }
    const { routed, ids, malformed } = match(messages, endpoints);
    const { indexes, reason } = await send(routed, hasTime);
    const unsent = indexes.map(index => routed[index] as Matched);
    if (unsent.length > 0)
      log.warn('A queue did not take some deliveries; their events are routed again.', {
        unsent: unsent.length,
        reason: reason ?? 'no time left',
      });
    const failed = Map.groupBy(unsent, ({ message }) => message);
    for (const { id } of ids.keys()) lacking.delete(id);
    for (const [{ id }, all] of failed) remember(id, new Set(all.map(({ to }) => to.name)));
    const unfinished = [...failed.keys()].flatMap(message => ids.get(message) ?? []);
    const done = [...ids].flatMap(([message, id]) => (failed.has(message) ? [] : [id]));
    logEvents(log, 'Route batch ended.', done, {
      deliveries: routed.length - unsent.length,
      ...(unfinished.length > 0 && { again: unfinished }),
    });
    const left = [...(await moveAllToFailed(malformed, queue.name)), ...failed.keys()];
    return showAgain({ messages: left, queue }, log);
  };

  /** Finds the deliveries to make, in the order of the events. */
  function match(messages: readonly Message[], endpoints: readonly EndpointSettings[]): Match {
    const found: Match = { routed: [], ids: new Map(), malformed: [] };
    for (const message of messages) {
      const read = readEvent(message.body);
      if ('malformed' in read) {
        found.malformed.push({ message, reason: read.malformed });
        continue;
      }
      found.ids.set(message, read.event.id);
      const missing = lacking.get(message.id);
      for (const endpoint of endpoints)
        if (missing ? missing.has(endpoint.name) : wants(endpoint.filter ?? {}, read.event))
          found.routed.push({ to: endpoint, body: message.body, message });
    }
    return found;
  }

  /** @returns the messages that could not be set aside, and stay in the queue */
  async function moveAllToFailed(malformed: Match['malformed'], from: string): Promise<Message[]> {
    const left: Message[] = [];
    for (const { message, reason } of malformed) {
      const details = { messageId: message.id, reason };
      try {
        await moveToFailed(message, from, reason);
        log.error('Malformed message in the events queue; it was set aside.', details);
      } catch (error) {
        log.error('Could not set a malformed message aside; it stays in the events queue.', {
          ...details,
          error: String(error),
        });
        left.push(message);
      }
    }
    return left;
  }

  function remember(messageId: string, endpoints: ReadonlySet<string>): void {
    lacking.set(messageId, endpoints);
    const [oldest] = lacking.keys();
    if (lacking.size > MAX_REMEMBERED && oldest !== undefined) lacking.delete(oldest);
  }
}
