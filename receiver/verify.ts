import type { SentEvent } from './event.ts';
import { Refusal } from './refusal.ts';
import {
  bodyOf,
  headerOf,
  MAX_SNS_BYTES,
  MAX_WEBHOOK_BYTES,
  type NodeRequest,
  type WebRequest,
} from './request.ts';
import { readSenders, type Senders } from './senders.ts';

/** The event in a request, once it is certain who sent it. A webhook is signed by Standard Webhooks, and at most 5 minutes
 *  old; a message of SNS comes in its envelope, signed by SNS, from the topic that is expected, and is at most 65 minutes old.
 *  `maxAgeSeconds` sets another age.
 *
 *  Resolves with undefined when SNS speaks of the subscription and no event came: a confirmation was answered, by visiting
 *  its SubscribeURL, or the subscription has ended. Answer 2xx then, too.
 *
 *      const event = await verify(request, process.env.WEBHOOK_SECRET ?? '');
 *
 *  It does not drop duplicates, and takes events of types that it does not know: more will come.
 *
 *  @param request Node's IncomingMessage or the web's Request. Its body must not have been read, unless the framework that read
 *    it kept the bytes, as `rawBody` or `body`
 *  @param secret of a webhook (`whsec_…`), several while it is changed, or a topic of SNS
 *  @throws Refusal what to answer to a request that is not taken: `status`, and `message` for its sender
 *  @throws TypeError when `secret` says nobody, or the body was read and not kept: a fault of the receiver, so answer 500 */
export async function verify(
  request: NodeRequest | WebRequest,
  secret: string | readonly string[] | Senders,
): Promise<SentEvent | undefined> {
  const { secrets, topic, allowLoopback, maxAgeSeconds } = readSenders(secret);
  const header = (name: string) => headerOf(request, name);
  const isSns = secrets.length === 0 || header('x-amz-sns-message-type') !== '';
  const body = await bodyOf(request, isSns && topic ? MAX_SNS_BYTES : MAX_WEBHOOK_BYTES);
  // Each library is loaded when it is needed first.
  if (!isSns) return (await import('./webhooks.ts')).readWebhook(header, body, secrets);
  if (topic === undefined)
    throw new Refusal(403, 'Messages of SNS are not taken here: no topicArn is expected.');
  return (await import('./sns.ts')).readSns(header, body, { topic, allowLoopback, maxAgeSeconds });
}
