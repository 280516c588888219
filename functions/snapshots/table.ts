import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';

/** Where the snapshots live. */
export interface Table {
  readonly client: DynamoDBClient;
  readonly tableName: string;
}

/** Runs a conditional write: false when its condition did not hold. Every other failure is thrown as it came. */
export async function holds(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (isConditionFailure(error)) return false;
    throw error;
  }
}

/** A condition that did not hold, or another transaction on the same item at the same moment: both mean that somebody
 *  else was first. Throttling, sizes and refused permissions are not: they mean that nobody was. */
function isConditionFailure(error: unknown): boolean {
  if (error instanceof ConditionalCheckFailedException) return true;
  if (!(error instanceof TransactionCanceledException)) return false;
  const codes = error.CancellationReasons?.map(({ Code }) => Code).filter(code => code && code !== 'None');
  return (
    !!codes?.length &&
    codes.every(code => code === 'ConditionalCheckFailed' || code === 'TransactionConflict')
  );
}
