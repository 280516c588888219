import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { createJournalReader } from '../../functions/store/dynamo/journal.ts';
import { createProcessReader, createRoster } from '../../functions/store/dynamo/processes.ts';
import { createSnapshots } from '../../functions/store/dynamo/store.ts';
import { sleep } from '../basics/sleep.ts';
import { ensureTable } from '../stream/ensure-table.ts';
import { filePosition } from '../stream/position.ts';
import { startStreamPump } from '../stream/pump.ts';
import type { Table, TableHouse } from './table.ts';

const TABLE = 'changewire';

/** A DynamoDB's table and its stream, as on AWS; the table is made when it isn't there. */
export async function dynamoTable(
  { closers, directory, output }: TableHouse,
  endpoint: string,
): Promise<Table> {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const config = { endpoint, region: 'us-east-1', credentials };
  const client = new DynamoDBClient(config);
  const streams = new DynamoDBStreamsClient(config);
  closers.add(() => {
    client.destroy();
    streams.destroy();
  });
  const { streamArn } = await ensureTable(client, TABLE);
  const table = { client, tableName: TABLE, patience: { clock: Date.now, random: Math.random, sleep } };
  const roster = createRoster(table);
  return {
    snapshots: createSnapshots(table),
    looks: processes => ({
      ...{ roster, states: createProcessReader(table) },
      journal: createJournalReader(table, processes, roster.list),
    }),
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
