import {
  ProvisionedThroughputExceededException,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { dynamoStore } from '../../../functions/store/dynamo/store.ts';
import { AUDIT, CHANGE, stateKey, TICK_KEY } from '../../../functions/store/keys.ts';
import type { Nature } from '../life.ts';
import { modelClient, type Replication, TableModel } from '../models/table.ts';
import { processOf, tableCall } from '../port-calls.ts';
import { TABLE_NAME, WORKSPACE } from '../shared.ts';
import { tableClient } from '../table-client.ts';
import type { Backup, Ports, Reaching, Storage, StorageCall } from './storage.ts';

/** The model of a DynamoDB table. `cramped` runs reads that may be answered in part. */
export function dynamoStorage(
  processes: readonly string[],
  nature: Nature,
  cramped: (table: TableModel) => Pick<TableModel, 'run'>,
): Storage {
  const all = processes.map(processId => ({ workspace: WORKSPACE, processId }));
  const { random } = nature;
  const table = new TableModel(TABLE_NAME, replicationIn(nature));
  const reached = cramped(table);
  const plain = {
    client: modelClient(async command => table.run(command)),
    tableName: TABLE_NAME,
    timing: { clock: () => nature.scheduler.wall, random, sleep: async () => undefined },
  };
  return {
    get stream() {
      return table.stream;
    },
    isLocal: false,
    items: () => table.items(),
    backup: (): Backup => {
      const items = [...table.items()];
      return {
        items,
        restore(how) {
          // A table that goes on keeps the journal of what was sent, and which audit entries were published.
          const kept = [...table.items()].filter(({ sk }) =>
            [CHANGE, AUDIT].some(prefix => sk?.S?.startsWith(prefix)),
          );
          table.restore(how === 'in place' ? [...items, ...kept] : items, { stream: how === 'in place' });
        },
      };
    },
    release: processId => {
      table.run(
        new UpdateItemCommand({
          TableName: TABLE_NAME,
          Key: stateKey({ workspace: WORKSPACE, processId }),
          UpdateExpression: 'SET released = :true',
          ExpressionAttributeValues: { ':true': { BOOL: true } },
        }),
      );
    },
    readers: dynamoStore(plain, all),
    reachedBy: ({ life, clock, sleep, ran, refusesRow = () => false }: Reaching): Ports => {
      const run = (command: object) => {
        if (command instanceof PutItemCommand) refuse(command, refusesRow);
        return reached.run(command);
      };
      const client = tableClient(life, { run }, (command, isDone) =>
        ran(callOf(command), isDone, processOf(command)),
      );
      const at = { client, tableName: TABLE_NAME, timing: { clock, random, sleep } };
      const { endpoints: rows, roster, ...store } = life.release.dynamoStore(at, all);
      return { ...store, rows, remember: roster.remember };
    },
  };
}

/** How often an eventually consistent read is late, and by how many ms at most. */
const LATE_READS = 0.3;
const MAX_LAG_MS = 1_000;

function replicationIn(nature: Nature): Replication {
  const { scheduler, random, coverage } = nature;
  const lag = () => {
    if (!nature.faulty || random() >= LATE_READS) return 0;
    coverage.add('table', 'read as it was before');
    return random() * MAX_LAG_MS;
  };
  return { now: () => scheduler.wall, lag, maxLag: MAX_LAG_MS };
}

function callOf(command: object): StorageCall | undefined {
  if (command instanceof UpdateItemCommand && command.input.Key?.pk?.S === TICK_KEY.pk.S) return 'claim';
  return tableCall(command);
}

function refuse({ input }: PutItemCommand, refuses: (eventId: string) => boolean): void {
  const eventId = input.Item?.eventId?.S;
  if (eventId === undefined || !refuses(eventId)) return;
  throw new ProvisionedThroughputExceededException({ message: 'Slow down', $metadata: {} });
}
