import {
  InvalidMessageContents,
  MessageNotInflight,
  ReceiptHandleIsInvalid,
  SQSServiceException,
} from '@aws-sdk/client-sqs';

// What the SDK throws for SQS's answers of status 400.
const $metadata = { httpStatusCode: 400 };

export const neverIssued = (receiptHandle: string) =>
  new ReceiptHandleIsInvalid({
    message: `The input receipt handle "${receiptHandle}" is not a valid receipt handle.`,
    $metadata,
  });

export const notInFlight = (receiptHandle: string) =>
  new MessageNotInflight({
    message: `The message of ${receiptHandle} is visible: none holds it.`,
    $metadata,
  });

export const invalidContents = () =>
  new InvalidMessageContents({ message: 'The text has characters that SQS does not take.', $metadata });

/** A parameter out of its range: SQS has no class of its own for it, so neither has the SDK. */
export const invalidValue = (parameter: string, value: unknown, reason: string) =>
  unmodelled(
    'InvalidParameterValue',
    `Value ${value} for parameter ${parameter} is invalid. Reason: ${reason}`,
  );

export const missingBody = () =>
  unmodelled('MissingParameter', 'The request must contain the parameter MessageBody.');

function unmodelled(name: string, message: string): SQSServiceException {
  return new SQSServiceException({ name, message, $fault: 'client', $metadata });
}
