import type { SentEvent } from './event.ts';
import { parseEvent, parseObject } from './parse-event.ts';
import { Refusal } from './refusal.ts';
import type { ReadSenders, Topic } from './senders.ts';
import { snsVerifier } from './sns-signature.ts';

interface Expected extends Pick<ReadSenders, 'allowLoopback' | 'maxAgeSeconds'> {
  readonly topic: Topic;
}

/** Shared by all calls, because they cache certificates. */
const verifyFromAws = snsVerifier(false);
const verifyFromAnywhere = snsVerifier(true);

/** The event in an SNS message in its envelope: raw messages are not signed, and are refused. Undefined for the
 *  messages of the handshake, which it answers.
 *  @throws Refusal */
export async function readSns(
  header: (name: string) => string,
  body: string,
  { topic, allowLoopback, maxAgeSeconds }: Expected,
): Promise<SentEvent | undefined> {
  if (header('x-amz-sns-rawdelivery') === 'true') {
    throw new Refusal(403, 'Raw messages are not signed: disable raw message delivery.');
  }
  const fields = parseObject(body, 'The SNS message');
  // Before the signature, so that messages from elsewhere cause no fetch of a certificate.
  if (fields.TopicArn !== topic.arn) throw new Refusal(403, 'The message is from another topic.');
  const message = await (allowLoopback ? verifyFromAnywhere : verifyFromAws)(fields, topic);
  // An invalid time is NaN, which is refused too.
  if (!(Date.now() - Date.parse(message.Timestamp) <= maxAgeSeconds * 1000))
    throw new Refusal(403, `The message is more than ${maxAgeSeconds} s old.`);
  if (message.Type === 'Notification') return parseEvent(message.Message);
  if (message.Type === 'SubscriptionConfirmation') await confirm(message.SubscribeURL, topic, allowLoopback);
  return undefined;
}

async function confirm(url = '', { home }: Topic, allowLoopback: boolean): Promise<void> {
  const isLoopback = allowLoopback && /^http:\/\/127\.0\.0\.1:\d+\//.test(url);
  if (!url.startsWith(home) && !isLoopback)
    throw new Refusal(403, `Invalid SubscribeURL: it is not at ${home}.`);
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(5_000) }).catch(
    () => undefined,
  );
  await response?.body?.cancel();
  if (!response?.ok) throw new Refusal(503, 'SubscribeURL could not be visited; try again.');
}
