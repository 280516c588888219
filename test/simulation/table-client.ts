import {
  BatchGetItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  ProvisionedThroughputExceededException,
  QueryCommand,
  TransactionCanceledException,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import type { Boundary } from './faults.ts';
import type { Failing, Life } from './life.ts';
import { modelClient, type TableModel } from './models/table.ts';

/** The table as one process reaches it. `ran` is told of every command that came there, and whether it was carried out. */
export function tableClient(
  life: Life,
  model: TableModel,
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
    if (fault === 'worked-then-failed') {
      work();
      throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError' });
    }
    if (fault === 'cancelled') throw cancelled(command as TransactWriteItemsCommand);
    throw new ProvisionedThroughputExceededException({ message: 'Slow down', $metadata: {} });
  };
}

/** Another transaction touches the same item at this moment. */
function cancelled({ input }: TransactWriteItemsCommand): TransactionCanceledException {
  const reasons = (input.TransactItems ?? []).map((_, index) => ({
    Code: index === 0 ? 'TransactionConflict' : 'None',
  }));
  return new TransactionCanceledException({
    message: 'Transaction cancelled',
    $metadata: {},
    CancellationReasons: reasons,
  });
}
