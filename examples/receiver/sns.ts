import type { IncomingHttpHeaders } from 'node:http';
import { type ChangeEvent, parseEvent, parseObject } from './event.ts';
import { isLoopback } from './loopback.ts';
import { Refusal } from './refusal.ts';
import { type SnsMessage, snsVerifier } from './sns-signature.ts';

export interface SnsOptions {
  /** The one topic that is listened to. SNS signs for everybody's topics: without this, anybody could subscribe us. */
  readonly topicArn: string;
  readonly allowLoopback: boolean;
  readonly say: (text: string) => void;
}

const SUBSCRIBE_URL = /^https:\/\/sns\.[a-z0-9-]{3,}\.amazonaws\.com(\.cn)?\//;

/** Takes messages of an SNS subscription in the envelope. Raw ones carry no signature: they are refused. */
export function snsReader({ topicArn, allowLoopback, say }: SnsOptions) {
  const verify = snsVerifier(allowLoopback);

  /** The event of a request; undefined for the words of the handshake.
   *  @throws Refusal */
  return async (headers: IncomingHttpHeaders, body: string): Promise<ChangeEvent | undefined> => {
    if (headers['x-amz-sns-rawdelivery'] === 'true') {
      throw new Refusal(403, 'Raw messages are not signed: turn raw delivery off.');
    }
    const fields = parseObject(body, 'The SNS message');
    // Before the signature: what is from elsewhere is not worth fetching a certificate.
    if (fields.TopicArn !== topicArn) throw new Refusal(403, 'The message is from another topic.');
    const message = await verify(fields);
    if (message.Type === 'Notification') return parseEvent(message.Message);
    if (message.Type === 'SubscriptionConfirmation') {
      await confirm(message, allowLoopback);
      say(`confirmed the subscription to ${topicArn}`);
    } else {
      say(`no longer subscribed to ${topicArn}`);
    }
    return undefined;
  };
}

async function confirm({ SubscribeURL = '' }: SnsMessage, allowLoopback: boolean): Promise<void> {
  if (!SUBSCRIBE_URL.test(SubscribeURL) && !(allowLoopback && isLoopback(SubscribeURL))) {
    throw new Refusal(403, 'SubscribeURL does not lead to SNS.');
  }
  const response = await fetch(SubscribeURL, { redirect: 'error', signal: AbortSignal.timeout(5_000) }).catch(
    () => undefined,
  );
  await response?.body?.cancel();
  if (!response?.ok) throw new Refusal(503, 'SubscribeURL could not be visited; try again.');
}
