import {
  type CancellationReason,
  ConditionalCheckFailedException,
  DynamoDBServiceException,
  ResourceNotFoundException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';

const $metadata = { httpStatusCode: 400 };

/** An error in the request, for which the SDK has no class. */
export function validation(message: string): DynamoDBServiceException {
  return new DynamoDBServiceException({ name: 'ValidationException', $fault: 'client', message, $metadata });
}

/** A key that the table can't have. A transaction reports it when it runs, and other errors in the
 *  request before. */
export class KeyError extends DynamoDBServiceException {
  constructor(message: string) {
    super({ name: 'ValidationException', $fault: 'client', message, $metadata });
    Object.setPrototypeOf(this, KeyError.prototype);
  }
}

export function conditionFailed(): ConditionalCheckFailedException {
  return new ConditionalCheckFailedException({ message: CONDITION_FAILED, $metadata });
}

export const CONDITION_FAILED = 'The conditional request failed';

/** `reasons`: one for each action of the transaction, in their order; `None` for those that were not at fault. */
export function transactionCanceled(reasons: readonly CancellationReason[]): TransactionCanceledException {
  const codes = reasons.map(({ Code }) => Code).join(', ');
  return new TransactionCanceledException({
    message: `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`,
    CancellationReasons: [...reasons],
    $metadata,
  });
}

export function notFound(): ResourceNotFoundException {
  return new ResourceNotFoundException({ message: 'Requested resource not found', $metadata });
}

/** For something that DynamoDB may well accept, and that the model does not know: a plain error, which no
 *  code takes for the table's answer. */
export function unknownToModel(what: string): Error {
  return new Error(
    `The table's model does not know ${what}. Teach it what DynamoDB does then (test/simulation/models/table.ts), ` +
      'and tell the contract.',
  );
}
