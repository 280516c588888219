import { describe, expect, it } from 'vitest';
import { readSenders, type Senders } from '../../receiver/senders.ts';
import { secretOf } from '../kit/receiver/requests.ts';

const [ONE, TWO] = [secretOf('one'), secretOf('two')];
const ARN = 'arn:aws:sns:eu-west-1:123456789012:changes';

describe('whose events are taken', () => {
  it('is told by a secret, several, or an object of both ways', () => {
    const alone = { topic: undefined, allowLoopback: false, maxAgeSeconds: 3_900 };
    expect(readSenders(ONE)).toEqual({ secrets: [ONE], ...alone });
    expect(readSenders([ONE, TWO])).toEqual({ secrets: [ONE, TWO], ...alone });
    expect(readSenders({ secrets: ONE })).toEqual({ secrets: [ONE], ...alone });
    expect(readSenders({ secrets: [ONE, TWO], topicArn: ARN, allowLoopback: true })).toEqual({
      secrets: [ONE, TWO],
      topic: { arn: ARN, home: 'https://sns.eu-west-1.amazonaws.com/' },
      allowLoopback: true,
      maxAgeSeconds: 3_900,
    });
    const aged = readSenders({ topicArn: ARN, maxAgeSeconds: Number.POSITIVE_INFINITY });
    expect(aged.maxAgeSeconds).toBe(Number.POSITIVE_INFINITY);
  });

  it.each([0, -1, Number.NaN, '1h'])('has no age of %j', maxAgeSeconds => {
    expect(() => readSenders({ topicArn: ARN, maxAgeSeconds } as Senders)).toThrow(
      new TypeError(`maxAgeSeconds: expected a number above 0, found ${maxAgeSeconds}`),
    );
  });

  it.each([
    ['arn:aws-cn:sns:cn-north-1:123456789012:changes', 'https://sns.cn-north-1.amazonaws.com.cn/'],
    ['arn:aws-us-gov:sns:us-gov-west-1:123456789012:changes', 'https://sns.us-gov-west-1.amazonaws.com/'],
    ['arn:aws:sns:us-east-1:000000000000:a_B-1', 'https://sns.us-east-1.amazonaws.com/'],
  ])('finds where SNS is that signs for %s', (topicArn, home) => {
    expect(readSenders({ topicArn }).topic?.home).toBe(home);
  });

  it.each([[[]], [{}], [{ secrets: [] }], [undefined], [null]])('must be told: %j is nobody', senders => {
    expect(() => readSenders(senders as Senders)).toThrow(/^verify\(request, secret\): .*whsec_.*topicArn/);
  });

  it.each([
    '',
    'changes',
    `${ARN}:0f1e`,
    `x${ARN}`,
    'arn:aws:sqs:eu-west-1:123456789012:changes',
    'arn:aws:sns:eu-west-1:1:a',
  ])('is no topic when its ARN reads %j', topicArn => {
    expect(() => readSenders({ topicArn })).toThrow(/^topicArn: ".*" is not an SNS topic, such as arn:/);
  });
});
