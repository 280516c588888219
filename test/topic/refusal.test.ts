import { SNSServiceException } from '@aws-sdk/client-sns';
import { describe, expect, it } from 'vitest';
import { isRefusal } from '../../functions/topic/send-batch.ts';

const error = (name: string, { message = 'no', $fault = 'client' as 'client' | 'server' } = {}) =>
  new SNSServiceException({ name, message, $fault, $metadata: {} });

describe('a refusal of what is in a request', () => {
  it.each([
    'InvalidParameter',
    'InvalidParameterException',
    'InvalidParameterValue',
    'InvalidParameterValueException',
    'ParameterValueInvalid',
    'Validation',
    'ValidationError',
    'ValidationException',
    'BatchRequestTooLong',
    'BatchRequestTooLongException',
  ])('is %s, as SNS and as the SDK name it', name => {
    expect(isRefusal(error(name))).toBe(true);
  });

  it.each([
    'Throttled',
    'NotFound',
    'KMSInvalidParameter',
    'InvalidParameterLater',
    'InvalidParameterValues',
  ])('is not %s', name => {
    expect(isRefusal(error(name))).toBe(false);
  });

  it('is none when the topic’s ARN is at fault, or SNS itself', () => {
    expect(isRefusal(error('InvalidParameter', { message: 'Invalid parameter: TopicArn' }))).toBe(false);
    expect(isRefusal(error('InvalidParameter', { $fault: 'server' }))).toBe(false);
  });

  it('is no error of anything but SNS', () => {
    const alike = Object.assign(new Error('no'), { name: 'InvalidParameter', $fault: 'client' });
    for (const other of [alike, new TypeError('InvalidParameter'), 'InvalidParameter', undefined])
      expect(isRefusal(other)).toBe(false);
  });
});
