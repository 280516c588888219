import {
  type CancellationReason,
  ConditionalCheckFailedException,
  DynamoDBServiceException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';

const $metadata = { httpStatusCode: 400 };
const CONDITION_FAILED = 'The conditional request failed';

/** An error in the request, for which the SDK has no class. */
export function validation(message: string): DynamoDBServiceException {
  return new DynamoDBServiceException({ name: 'ValidationException', $fault: 'client', message, $metadata });
}

export function conditionFailed(): ConditionalCheckFailedException {
  return new ConditionalCheckFailedException({ message: CONDITION_FAILED, $metadata });
}

/** Cancels a transaction because of its actions' errors, in the actions' order. */
export function transactionCanceled(
  errors: readonly (DynamoDBServiceException | undefined)[],
): TransactionCanceledException {
  const reasons = errors.map((error): CancellationReason => {
    if (error === undefined) return { Code: 'None' };
    const isCondition = error instanceof ConditionalCheckFailedException;
    return { Code: isCondition ? 'ConditionalCheckFailed' : 'ValidationError', Message: error.message };
  });
  const codes = reasons.map(({ Code }) => Code).join(', ');
  return new TransactionCanceledException({
    message: `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`,
    CancellationReasons: reasons,
    $metadata,
  });
}

/** For a request that DynamoDB may accept and the model does not: a plain error, which no code takes for
 *  an answer of the table. */
export function unknownToModel(what: string): Error {
  return new Error(
    `The table's model does not know ${what}. Add it to the model (test/simulation/models/) and to its contract.`,
  );
}
