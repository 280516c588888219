import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import type { Sleep } from '../../functions/basics/clock.ts';
import type { PublishContext } from '../../functions/handlers/create-publish.ts';

export type PublishHandler = (
  event: DynamoDBStreamEvent,
  context: PublishContext,
) => Promise<DynamoDBBatchResponse>;

/** On one machine no run has a time limit. */
const ENDLESS: PublishContext = { getRemainingTimeInMillis: () => Number.POSITIVE_INFINITY };

/**
 * Calls the handler as Lambda's event source does, until every record is taken: when it returns failures,
 * from the first failed record on; when it throws, with all of them again. Waits longer each time, up to
 * 10 s.
 * @throws only when `signal` aborts.
 */
export async function publishAll(
  records: readonly DynamoDBRecord[],
  options: {
    publish: PublishHandler;
    sleep: Sleep;
    signal: AbortSignal;
    onFailure: (error: unknown, left: number) => void;
  },
): Promise<void> {
  let left = records;
  for (let pause = 100; left.length > 0; pause = Math.min(pause * 2, 10_000)) {
    options.signal.throwIfAborted();
    const before = left.length;
    try {
      const { batchItemFailures } = await options.publish({ Records: [...left] }, ENDLESS);
      left = fromFirstFailed(left, batchItemFailures);
      if (left.length === 0) return;
      options.onFailure(undefined, left.length);
    } catch (error) {
      options.onFailure(error, left.length);
    }
    if (left.length < before) pause = 100;
    await options.sleep(pause, options.signal);
  }
}

/** Reads the answer as Lambda does: an identifier that none of the records has means that all failed. */
function fromFirstFailed(
  records: readonly DynamoDBRecord[],
  failures: DynamoDBBatchResponse['batchItemFailures'],
): readonly DynamoDBRecord[] {
  if (failures.length === 0) return [];
  const numbers = records.map(record => record.dynamodb?.SequenceNumber);
  const indices = failures.map(failure => numbers.indexOf(failure.itemIdentifier));
  return records.slice(Math.max(0, Math.min(...indices)));
}
