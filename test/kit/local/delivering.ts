import { PublishBatchCommand } from '@aws-sdk/client-sns';
import type { Clock, Sleep } from '../../../functions/basics/clock.ts';
import type { EndpointSettings } from '../../../functions/model/endpoint.ts';
import type { ChangeEvent } from '../../../functions/model/event.ts';
import type { SecretStore } from '../../../functions/model/secret.ts';
import { QUEUE_SCHEMA, recoverMessages } from '../../../functions/queue/sqlite.ts';
import { openDatabase } from '../../../functions/store/sqlite/database.ts';
import { sqliteEndpointRows, sqliteSlots } from '../../../functions/store/sqlite/endpoints.ts';
import { DELIVERIES_SCHEMA, SNAPSHOTS_SCHEMA } from '../../../functions/store/sqlite/schema.ts';
import { sqliteDeliveries } from '../../../functions/store/sqlite/store.ts';
import { openQueues, withQueued } from '../../../local/data/store.ts';
import { Delivering } from '../../../local/loops/delivering.ts';
import { Topic } from '../../../local/loops/topic.ts';
import { Metrics } from '../../../local/operate/metrics.ts';
import { SECRET } from '../delivery/setting.ts';

interface Options {
  readonly path?: string;
  /** By default a webhook. */
  readonly configured?: readonly EndpointSettings[];
  /** The secrets of endpoints; by default all have this address. */
  readonly secrets?: SecretStore;
  /** The endpoint's address. */
  readonly url?: string;
  readonly clock: Clock;
  readonly sleep: Sleep;
}

/** The deliveries of one run to one endpoint: topic, queues and handlers over one file. */
export function openDelivering({
  path = ':memory:',
  configured = [{ name: 'crm', kind: 'webhook' }],
  url,
  secrets,
  clock,
  sleep,
}: Options) {
  const database = openDatabase(path, [SNAPSHOTS_SCHEMA, DELIVERIES_SCHEMA, QUEUE_SCHEMA]);
  recoverMessages(database.file, clock());
  const queues = openQueues(database.file, clock);
  const deliveries = withQueued(sqliteDeliveries(database), queues);
  const rows = sqliteEndpointRows(database);
  const topic = new Topic({ queue: queues.events, deliveries, clock });
  const said: string[] = [];
  const delivering = new Delivering({
    ...{ endpoints: rows, deliveries, queues, clock, sleep },
    configured,
    slots: sqliteSlots(database),
    secrets: secrets ?? {
      nameOf: name => name,
      read: async () => JSON.stringify({ url, secrets: [SECRET] }),
      putting: () => '',
    },
    linkTemplates: [],
    metrics: new Metrics('0.0.0', clock),
    moveToFailed: async ({ body }) => void said.push(`set aside: ${body}`),
    warn: (_name, text) => void said.push(text),
    log: { info: () => undefined, warn: text => void said.push(text), error: text => void said.push(text) },
  });
  return {
    ...{ database, queues, deliveries, rows, said, delivering },
    publish: async (events: readonly ChangeEvent[]): Promise<void> => {
      for (let at = 0; at < events.length; at += 10) {
        const PublishBatchRequestEntries = events
          .slice(at, at + 10)
          .map((event, Id) => ({ Id: `${Id}`, Message: JSON.stringify(event) }));
        await topic.send(new PublishBatchCommand({ TopicArn: topic.arn, PublishBatchRequestEntries }));
      }
    },
  };
}
