import { type BatchResultErrorEntry, SNSServiceException } from '@aws-sdk/client-sns';

/** The names of errors about a request's contents: as the SDK gives them, with `Exception`, and as SNS
 *  does. */
const ABOUT_CONTENTS =
  /^(InvalidParameter(Value)?|ParameterValueInvalid|Validation(Error)?|BatchRequestTooLong)(Exception)?$/;

/** True when SNS refuses a request for its contents, as it would each time; one malformed message makes it
 *  refuse the whole batch. A refused topic ARN doesn't count: it concerns all messages alike. */
export function isRefusal(error: unknown): error is SNSServiceException {
  return (
    error instanceof SNSServiceException &&
    error.$fault === 'client' &&
    ABOUT_CONTENTS.test(error.name) &&
    !error.message.includes('TopicArn')
  );
}

/** The same of one entry of a batch. SNS may blame the sender for throttling, too, or for a KMS key that can't be used: an entry that
 *  fails for that may succeed later. */
export function isRefused({ SenderFault, Code = '' }: BatchResultErrorEntry): boolean {
  return SenderFault === true && ABOUT_CONTENTS.test(Code);
}
