import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { SetAside } from '../aws/set-aside.ts';
import { tellEvents } from '../basics/event-lines.ts';
import type { Log } from '../basics/telemetry.ts';
import { hideBriefly, type Queues, type Routed, type Send } from '../delivery/queues.ts';
import { readEvent } from '../delivery/read-event.ts';
import type { Registry } from '../delivery/registry.ts';
import type { EndpointSettings } from '../model/endpoint.ts';
import { wants } from '../model/filter.ts';

export type Route = (
  event: Pick<SQSEvent, 'Records'>,
  context: { getRemainingTimeInMillis(): number },
) => Promise<SQSBatchResponse>;

export interface RouteDependencies {
  readonly registry: Pick<Registry, 'settings'>;
  readonly send: Send;
  readonly queues: Pick<Queues, 'hide'>;
  readonly setAside: SetAside;
  readonly log: Log;
}

/** No request to SQS begins with less time left: with its retry it takes 5 s, and then the events that were
 *  not reached must be shown again. */
const LEAST_REMAINING_MS = 10_000;
/** Events whose missing endpoints are remembered. */
const MAX_REMEMBERED = 100;

type Matched = Routed & { readonly record: SQSRecord };

/** The deliveries of a batch of messages, and the ids of the events in it. */
interface Match {
  readonly routed: Matched[];
  readonly ids: Map<SQSRecord, string>;
  readonly malformed: { readonly record: SQSRecord; readonly reason: string }[];
}

/** The router: events of the topic in, one message for each endpoint that wants it out. If some of an event's
 *  messages could not be queued, it is routed again after seconds: by the same execution environment only to
 *  the endpoints that lack it, by another to all of them, with the same id. */
export function createRoute({ registry, send, queues, setAside, log }: RouteDependencies): Route {
  /** The endpoints that lack an event, by its message. */
  const lacking = new Map<string, ReadonlySet<string>>();

  return async ({ Records }, context) => {
    const hasTime = () => context.getRemainingTimeInMillis() >= LEAST_REMAINING_MS;
    let endpoints: readonly EndpointSettings[];
    try {
      endpoints = await registry.settings();
    } catch (error) {
      log.error('The endpoints could not be read; the events are routed again.', { error: String(error) });
      return again(Records);
    }
    const { routed, ids, malformed } = match(Records, endpoints);
    const { indexes, reason } = await send(routed, hasTime);
    const unsent = indexes.map(index => routed[index] as Matched);
    if (unsent.length > 0)
      log.warn('A queue did not take some deliveries; their events are routed again.', {
        unsent: unsent.length,
        reason: reason ?? 'no time left',
      });
    const failed = Map.groupBy(unsent, ({ record }) => record);
    for (const { messageId } of ids.keys()) lacking.delete(messageId);
    for (const [{ messageId }, all] of failed) remember(messageId, new Set(all.map(({ to }) => to.name)));
    const left = [...failed.keys()].flatMap(record => ids.get(record) ?? []);
    const done = [...ids].flatMap(([record, id]) => (failed.has(record) ? [] : [id]));
    tellEvents(log, 'Route batch ended.', done, {
      deliveries: routed.length - unsent.length,
      ...(left.length > 0 && { again: left }),
    });
    return again([...(await setAllAside(malformed)), ...failed.keys()]);
  };

  /** Finds the deliveries to make, in the order of the events. */
  function match(records: readonly SQSRecord[], endpoints: readonly EndpointSettings[]): Match {
    const found: Match = { routed: [], ids: new Map(), malformed: [] };
    for (const record of records) {
      const read = readEvent(record.body);
      if ('malformed' in read) {
        found.malformed.push({ record, reason: read.malformed });
        continue;
      }
      found.ids.set(record, read.event.id);
      const missing = lacking.get(record.messageId);
      for (const endpoint of endpoints)
        if (missing ? missing.has(endpoint.name) : wants(endpoint.filter ?? {}, read.event))
          found.routed.push({ to: endpoint, body: record.body, record });
    }
    return found;
  }

  /** @returns the messages that could not be set aside, and stay in the queue */
  async function setAllAside(malformed: Match['malformed']): Promise<SQSRecord[]> {
    const left: SQSRecord[] = [];
    for (const { record, reason } of malformed) {
      const details = { messageId: record.messageId, reason };
      try {
        await setAside(record, reason);
        log.error('Malformed message in the events queue; it was set aside.', details);
      } catch (error) {
        log.error('Could not set a malformed message aside; it stays in the events queue.', {
          ...details,
          error: String(error),
        });
        left.push(record);
      }
    }
    return left;
  }

  function remember(messageId: string, endpoints: ReadonlySet<string>): void {
    lacking.set(messageId, endpoints);
    const [oldest] = lacking.keys();
    if (lacking.size > MAX_REMEMBERED && oldest !== undefined) lacking.delete(oldest);
  }

  /** Leaves messages in their queue, which shows them again after seconds. */
  async function again(records: readonly SQSRecord[]): Promise<SQSBatchResponse> {
    await hideBriefly(records, { queues, log });
    return { batchItemFailures: records.map(itemOf) };
  }
}

const itemOf = ({ messageId }: SQSRecord) => ({ itemIdentifier: messageId });
