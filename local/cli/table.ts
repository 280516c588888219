import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { Publish } from '../../functions/create-publish.ts';
import { createSnapshots } from '../../functions/snapshots/dynamo-snapshots.ts';
import type { Snapshots } from '../../functions/snapshots/snapshots.ts';
import { type Feed, startJournalFeed } from '../feed/journal-feed.ts';
import { ensureTable } from '../stream/ensure-table.ts';
import { filePosition } from '../stream/position.ts';
import { startStreamPump } from '../stream/pump.ts';
import type { Closers } from './closers.ts';
import type { DataDirectory } from './data-directory.ts';
import type { Output } from './output.ts';
import { sleep } from './sleep.ts';
import type { Store } from './store.ts';

/** What passes keep, and what carries their change records to `publish`. */
export interface Table {
  readonly snapshots: Snapshots;
  feed(publish: Publish): Feed;
}

interface House {
  readonly closers: Closers;
  readonly directory: DataDirectory;
  readonly output: Output;
}

/** The store's own table. */
export function sqliteTable({ closers, output }: House, { snapshots, journal }: Store): Table {
  return {
    snapshots,
    feed: publish => {
      const feed = startJournalFeed({ journal, publish, sleep, onNotice: output.warn });
      closers.add(feed.stop);
      return feed;
    },
  };
}

const TABLE = 'changewire';

/** A DynamoDB's table and its stream, as on AWS; the table is made when it isn't there. */
export async function dynamoTable({ closers, directory, output }: House, endpoint: string): Promise<Table> {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const config = { endpoint, region: 'us-east-1', credentials };
  const client = new DynamoDBClient(config);
  const streams = new DynamoDBStreamsClient(config);
  closers.add(() => {
    client.destroy();
    streams.destroy();
  });
  const { streamArn } = await ensureTable(client, TABLE);
  return {
    snapshots: createSnapshots({ client, tableName: TABLE }),
    feed: publish => {
      const pump = startStreamPump({
        client,
        streams,
        table: { name: TABLE, streamArn },
        publish,
        position: filePosition(directory.file('position.json')),
        sleep,
        onNotice: output.warn,
      });
      closers.add(pump.stop);
      return pump;
    },
  };
}
