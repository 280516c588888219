import {
  BatchEntryIdsNotDistinctException,
  BatchRequestTooLongException,
  EmptyBatchRequestException,
  InvalidParameterException,
  InvalidParameterValueException,
  NotFoundException,
  type SNSServiceException,
  TooManyEntriesInBatchRequestException,
} from '@aws-sdk/client-sns';

type Class = new (options: {
  readonly message: string;
  readonly $metadata: { readonly httpStatusCode: number };
}) => SNSServiceException;

const refusal =
  (of: Class, httpStatusCode = 400) =>
  (message: string) =>
    new of({ message, $metadata: { httpStatusCode } });

/** What the SDK throws when SNS refuses a whole PublishBatch. */
export const refusals = {
  noTopic: refusal(NotFoundException, 404),
  empty: refusal(EmptyBatchRequestException),
  tooMany: refusal(TooManyEntriesInBatchRequestException),
  notDistinct: refusal(BatchEntryIdsNotDistinctException),
  tooLong: refusal(BatchRequestTooLongException),
  badMessage: refusal(InvalidParameterException),
  badAttribute: refusal(InvalidParameterValueException),
};
