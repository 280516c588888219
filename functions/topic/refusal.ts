import { SNSServiceException } from '@aws-sdk/client-sns';

/** As the SDK names them, with `Exception`, and as SNS itself does. */
const ABOUT_CONTENTS =
  /^(InvalidParameter(Value)?|ParameterValueInvalid|Validation(Error)?|BatchRequestTooLong)(Exception)?$/;

/** True when SNS finds fault with what is in a request, as it will each time: one malformed message is enough for it to
 *  refuse the whole batch. A fault of the topic's ARN is none of these: no message would be better than the others. */
export function isRefusal(error: unknown): error is SNSServiceException {
  return (
    error instanceof SNSServiceException &&
    error.$fault === 'client' &&
    ABOUT_CONTENTS.test(error.name) &&
    !error.message.includes('TopicArn')
  );
}
