import {
  BatchGetItemCommand,
  type BatchGetItemCommandOutput,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  ProvisionedThroughputExceededException,
  PutItemCommand,
  QueryCommand,
  TransactionCanceledException,
  TransactionConflictException,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { dynamoStore } from '../../../functions/store/dynamo/store.ts';
import {
  ATTEMPT,
  AUDIT,
  CHANGE,
  DEAD,
  type Key,
  PENDING,
  stateKey,
  TICK_KEY,
  TOMBSTONE,
} from '../../../functions/store/keys.ts';
import type { Boundary } from '../faults.ts';
import type { Failing, Life, Nature } from '../life.ts';
import { modelClient, type Replication, TableModel } from '../models/table.ts';
import type { Plan } from '../plan.ts';
import { processOf, tableCall } from '../port-calls.ts';
import { processesIn, TABLE_NAME, WORKSPACE } from '../shared.ts';
import type { Backup, Expiring, Ports, Reaching, Storage, StorageCall } from './storage.ts';

/** The model of a DynamoDB table. */
export function dynamoStorage(plan: Plan, nature: Nature): Storage {
  const all = processesIn(plan).map(processId => ({ workspace: WORKSPACE, processId }));
  const { random } = nature;
  const table = new TableModel(TABLE_NAME, replicationIn(nature));
  const reached = crampedTable(table, plan, nature);
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
    expire: now => {
      for (const { pk, sk, expiresAt } of [...table.items()])
        if (expiresAt?.N && Number(expiresAt.N) * 1_000 <= now)
          table.run(new DeleteItemCommand({ TableName: TABLE_NAME, Key: { pk, sk } as Key }));
      const left = [...table.items()];
      const count = (prefix: string) => left.filter(({ sk }) => sk?.S?.startsWith(prefix)).length;
      return new Map(Object.entries(EXPIRING).map(([kind, prefix]) => [kind as Expiring, count(prefix)]));
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

/** How the sort keys of what expires begin. */
const EXPIRING: Readonly<Record<Expiring, string>> = {
  change: CHANGE,
  tombstone: TOMBSTONE,
  entry: AUDIT,
  delivery: PENDING,
  'dead letter': DEAD,
  attempt: ATTEMPT,
};

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

/** A table that can't answer all of a batch: it leaves some keys unread and says which. */
function crampedTable(table: TableModel, plan: Plan, nature: Nature): Pick<TableModel, 'run'> {
  const { random, coverage } = nature;
  return {
    run(command) {
      const isCramped =
        command instanceof BatchGetItemCommand && nature.faulty && random() < plan.mess.cramped;
      if (!isCramped) return table.run(command);
      const [[name, { Keys = [], ...request }]] = Object.entries(command.input.RequestItems ?? {}) as [
        [string, NonNullable<BatchGetItemCommand['input']['RequestItems']>[string]],
      ];
      const left = Keys.filter(() => random() < 0.5);
      const read = Keys.filter(key => !left.includes(key));
      if (read.length === 0 || left.length === 0) return table.run(command);
      coverage.add('table', 'batch read in part');
      const RequestItems = { [name]: { ...request, Keys: read } };
      return {
        ...(table.run(new BatchGetItemCommand({ RequestItems })) as BatchGetItemCommandOutput),
        UnprocessedKeys: { [name]: { ...request, Keys: left } },
      };
    },
  };
}

/** The table as one process reaches it. `ran` is called for every command that arrived, with whether it
 *  was carried out. */
function tableClient(
  life: Life,
  model: Pick<TableModel, 'run'>,
  ran: (command: object, isDone: boolean) => void,
): DynamoDBClient {
  const run = (command: object) => () => {
    let isDone = false;
    try {
      const output = model.run(command);
      isDone = true;
      return output;
    } finally {
      ran(command, isDone);
    }
  };
  return modelClient(command =>
    life.call(boundaryOf(command), run(command), failing(command), tableCall(command)),
  );
}

function boundaryOf(command: object): Boundary {
  if (command instanceof TransactWriteItemsCommand) return 'table.transaction';
  const reads = [GetItemCommand, QueryCommand, BatchGetItemCommand].some(kind => command instanceof kind);
  return reads ? 'table.read' : 'table.update';
}

/** The errors that reach our code after the SDK's own retries. */
function failing(command: object): Failing<unknown> {
  return (work, fault) => {
    if (fault.startsWith('worked-then') || fault === 'repeated') work();
    // The SDK asks again: the answer is that of the second time.
    if (fault === 'repeated') return work();
    if (fault === 'worked-then-failed')
      throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError' });
    const about = { message: 'Slow down', $metadata: {} };
    if (fault === 'conflicting') throw new TransactionConflictException(about);
    if (!(command instanceof TransactWriteItemsCommand))
      throw new ProvisionedThroughputExceededException(about);
    throw cancelled(command, fault === 'cancelled' ? 'TransactionConflict' : 'ThrottlingError');
  };
}

/** A cancelled transaction, because of its first item: another transaction writes it at this moment, or
 *  its partition is throttled. */
function cancelled({ input }: TransactWriteItemsCommand, Code: string): TransactionCanceledException {
  const reasons = (input.TransactItems ?? []).map((_, index) => ({ Code: index === 0 ? Code : 'None' }));
  return new TransactionCanceledException({
    message: 'Transaction cancelled',
    $metadata: {},
    CancellationReasons: reasons,
  });
}
