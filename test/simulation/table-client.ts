import {
  BatchGetItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  ProvisionedThroughputExceededException,
  QueryCommand,
  TransactionCanceledException,
  TransactionConflictException,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import type { Boundary } from './faults.ts';
import type { Failing, Life } from './life.ts';
import { modelClient, type TableModel } from './models/table.ts';
import { tableCall } from './port-calls.ts';

/** The table as one process reaches it. `ran` is called for every command that arrived, with whether it
 *  was carried out. */
export function tableClient(
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
    if (fault.startsWith('worked-then')) work();
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
