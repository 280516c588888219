import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { verify } from '../../receiver/index.ts';
import { exampleEvent } from '../kit/examples/receiver.ts';
import { awsRegion, TOPIC_ARN } from '../kit/receiver/aws-region.ts';
import { BOTH_KINDS, changed, refusalOf, webRequest } from '../kit/receiver/requests.ts';

const MESSAGE = JSON.stringify(exampleEvent('task.updated'));
const ARN = { topicArn: TOPIC_ARN };

it('a message of AWS is refused when any of its fields is another one', async () => {
  const region = await awsRegion();
  const message = await region.message({ Message: MESSAGE, Subject: 'A subject' });
  const fields = fc.constantFrom(...'Message MessageId Subject Timestamp TopicArn Type Signature'.split(' '));
  const value = fc.oneof(fc.string(), fc.constantFrom(undefined, null, 7, [MESSAGE], {}));
  const sent = JSON.parse(String(message.body)) as Record<string, unknown>;
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...BOTH_KINDS), fields, value, async (kind, field, other) => {
      fc.pre(other !== sent[field]);
      const { status } = await refusalOf(verify(kind(changed(message, { [field]: other })), ARN));
      expect(status).toBe(403);
    }),
    { numRuns: 200 },
  );
});

it('a message of AWS is refused when any character of it is another one', async () => {
  const region = await awsRegion();
  const message = await region.message({ Message: MESSAGE });
  const {
    Signature: _,
    SigningCertURL,
    ...signed
  } = JSON.parse(String(message.body)) as Record<string, string>;
  const name = fc.constantFrom(...Object.keys(signed).filter(field => field !== 'SignatureVersion'));
  await fc.assert(
    fc.asyncProperty(
      name,
      fc.nat(),
      fc.constantFrom('', ' ', 'a', '\n', '\\', 'ü'),
      async (field, place, other) => {
        const text = signed[field] as string;
        const at = place % text.length;
        const altered = text.slice(0, at) + other + text.slice(at + 1);
        fc.pre(altered !== text);
        const { status } = await refusalOf(verify(webRequest(changed(message, { [field]: altered })), ARN));
        expect(status).toBe(403);
      },
    ),
    { numRuns: 200 },
  );
  // Each of them was refused with the certificate that is right.
  expect(new Set(region.asked)).toEqual(new Set([new URL(SigningCertURL as string).pathname]));
});
