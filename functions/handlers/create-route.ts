import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { tellEvents } from '../basics/event-lines.ts';
import type { Log } from '../basics/telemetry.ts';
import type { Routed, Send } from '../delivery/queues.ts';
import { readEvent } from '../delivery/read-event.ts';
import type { Registry } from '../delivery/registry.ts';
import { wants } from '../endpoints/filter.ts';

export type Route = (event: SQSEvent) => Promise<SQSBatchResponse>;

export interface RouteDependencies {
  readonly registry: Registry;
  readonly send: Send;
  readonly log: Log;
}

/** The router: events of the topic in, one message for each endpoint that wants it out. If one of an event's
 *  messages could not be queued, the event is routed again: endpoints that have it already get it twice, with
 *  the same id. */
export function createRoute({ registry, send, log }: RouteDependencies): Route {
  return async ({ Records }) => {
    const endpoints = await registry.all();
    const routed: (Routed & { readonly record: SQSRecord })[] = [];
    const ids = new Map<string, string>();
    const failed = new Set<string>();
    for (const record of Records) {
      const read = readEvent(record.body);
      if ('malformed' in read) {
        // After enough receives, SQS moves it to the dead-letter queue.
        log.error('A message is no event and can be routed to nobody.', {
          messageId: record.messageId,
          reason: read.malformed,
        });
        failed.add(record.messageId);
        continue;
      }
      ids.set(record.messageId, read.event.id);
      for (const { endpoint } of endpoints)
        if (wants(endpoint.filter ?? {}, read.event))
          routed.push({ to: endpoint, body: record.body, record });
    }
    for (const index of await send(routed))
      failed.add((routed[index] as (typeof routed)[number]).record.messageId);
    const again = [...ids].flatMap(([messageId, id]) => (failed.has(messageId) ? [id] : []));
    const done = [...ids].flatMap(([messageId, id]) => (failed.has(messageId) ? [] : [id]));
    tellEvents(log, 'Route batch ended.', done, {
      deliveries: routed.length,
      ...(again.length > 0 && { again }),
    });
    return { batchItemFailures: [...failed].map(itemIdentifier => ({ itemIdentifier })) };
  };
}
