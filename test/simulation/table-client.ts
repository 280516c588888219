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

/** The table as one process reaches it. `wrote` is told after every command that had an effect. */
export function tableClient(life: Life, model: TableModel, wrote: () => void): DynamoDBClient {
  const run = (command: object) => () => {
    try {
      return model.run(command);
    } finally {
      wrote();
    }
  };
  return modelClient(command => life.call(boundaryOf(command), run(command), failing(command)));
}

function boundaryOf(command: object): Boundary {
  if (command instanceof TransactWriteItemsCommand) return 'table.transaction';
  const reads = [GetItemCommand, QueryCommand, BatchGetItemCommand].some(kind => command instanceof kind);
  return reads ? 'table.read' : 'table.update';
}

/** What reaches our code when the SDK's own tries are used up. */
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

/** For the first of its items: another transaction touches it at this moment, or its part of the table has no room. */
function cancelled({ input }: TransactWriteItemsCommand, Code: string): TransactionCanceledException {
  const reasons = (input.TransactItems ?? []).map((_, index) => ({ Code: index === 0 ? Code : 'None' }));
  return new TransactionCanceledException({
    message: 'Transaction cancelled',
    $metadata: {},
    CancellationReasons: reasons,
  });
}
