import { AssertionError, assert, logIfAssertion } from '../basics/assert.ts';
import { type Log, logEvents } from '../basics/telemetry.ts';
import type { Routed, Send } from '../delivery/queues.ts';
import { readEvent } from '../delivery/read-event.ts';
import type { Registry } from '../delivery/registry.ts';
import type { EndpointSettings } from '../model/endpoint.ts';
import { wants } from '../model/filter.ts';
import type { MoveToFailed } from '../queue/failed-messages.ts';
import type { LambdaContext } from '../queue/queue.ts';
import { type Batch, type Message, type Serve, showAgain, unsentOf } from '../queue/queue.ts';

interface RouteDependencies {
  readonly registry: Pick<Registry, 'settings'>;
  readonly send: Send;
  readonly moveToFailed: MoveToFailed;
  readonly log: Log;
}

/** No request to SQS starts with less time left: with its retry it takes 5 s, and then messages that were
 *  not handled must be shown again. */
const MIN_REMAINING_MS = 10_000;
const MAX_LACKING = 100;

type Matched = Routed & { readonly message: Message };

/** The deliveries of a batch of messages, and the ids of the events in it. */
interface Match {
  readonly routed: Matched[];
  readonly ids: Map<Message, string>;
  readonly malformed: { readonly message: Message; readonly reason: string }[];
}

/** The router: sends one message to each endpoint that wants an event. If some of an event's messages
 *  could not be queued, it is routed again after seconds: by the same execution environment only to the
 *  endpoints that lack it, by another to all of them, with the same id. */
export function createRoute({ registry, send, moveToFailed, log }: RouteDependencies): Serve {
  /** The endpoints that lack an event, by its message. */
  const lacking = new Map<string, ReadonlySet<string>>();

  return async (batch, context) => {
    try {
      return await routeAll(batch, context);
    } catch (error) {
      logIfAssertion(log, error, { queue: batch.queue.name });
      if (!(error instanceof AssertionError)) throw error;
      return showAgain(batch, log);
    }
  };

  async function routeAll({ messages, queue }: Batch, context: LambdaContext): Promise<readonly string[]> {
    const hasTime = () => context.getRemainingTimeInMillis() >= MIN_REMAINING_MS;
    let endpoints: readonly EndpointSettings[];
    try {
      endpoints = await registry.settings();
    } catch (error) {
      log.error('Could not read the endpoints; the events are routed again.', {
        code: 'route.endpoints-unreadable',
        error: String(error),
      });
      return showAgain({ messages, queue }, log);
    }
    const { routed, ids, malformed } = match(messages, endpoints);
    const { indexes, reason } = await send(routed, hasTime);
    const unsent = unsentOf(routed, indexes);
    if (unsent.length > 0)
      log.warn('Could not queue some deliveries; their events are routed again.', {
        code: 'route.unsent',
        unsent: unsent.length,
        reason: reason ?? 'no time left',
      });
    const failed = Map.groupBy(unsent, ({ message }) => message);
    for (const { id } of ids.keys()) lacking.delete(id);
    for (const [{ id }, all] of failed) remember(id, new Set(all.map(({ to }) => to.name)));
    const unfinished = [...failed.keys()].flatMap(message => ids.get(message) ?? []);
    const done = [...ids].flatMap(([message, id]) => (failed.has(message) ? [] : [id]));
    const ended = done.length + failed.size + malformed.length;
    assert(ended === messages.length, 'route.message-ends-once');
    logEvents(log, 'Route batch ended.', done, {
      code: 'route.batch-ended',
      deliveries: routed.length - unsent.length,
      ...(unfinished.length > 0 && { again: unfinished }),
    });
    const left = [...(await moveAllToFailed(malformed, queue.name)), ...failed.keys()];
    return showAgain({ messages: left, queue }, log);
  }

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
      const wanting = endpoints.filter(({ name, filter = {} }) =>
        missing ? missing.has(name) : wants(filter, read.event),
      );
      assert(new Set(wanting.map(({ name }) => name)).size === wanting.length, 'route.delivery-once');
      for (const to of wanting) found.routed.push({ to, body: message.body, message });
    }
    return found;
  }

  /** @returns the messages that could not be moved, and stay in the queue */
  async function moveAllToFailed(malformed: Match['malformed'], from: string): Promise<Message[]> {
    const left: Message[] = [];
    for (const { message, reason } of malformed) {
      const details = { messageId: message.id, reason };
      try {
        await moveToFailed(message, from, reason);
        log.error('Malformed message in the events queue; moved to the failed messages.', {
          code: 'events.malformed',
          ...details,
        });
      } catch (error) {
        log.error(
          'Could not move a malformed message to the failed messages; it stays in the events queue.',
          {
            code: 'events.not-moved',
            ...details,
            error: String(error),
          },
        );
        left.push(message);
      }
    }
    return left;
  }

  function remember(messageId: string, endpoints: ReadonlySet<string>): void {
    lacking.set(messageId, endpoints);
    const [oldest] = lacking.keys();
    if (lacking.size > MAX_LACKING && oldest !== undefined) lacking.delete(oldest);
  }
}
