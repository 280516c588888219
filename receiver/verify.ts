import type { AnyRecords, RecordTypes, SentEvent } from './event.ts';
import { parseBatch, parseEvent } from './parse-event.ts';
import { Refusal } from './refusal.ts';
import {
  bodyOf,
  headerOf,
  MAX_BATCH_BYTES,
  MAX_SNS_BYTES,
  MAX_WEBHOOK_BYTES,
  type NodeRequest,
  type WebRequest,
} from './request.ts';
import { readSenders, type Senders } from './senders.ts';

/** Verifies the sender of a request and returns its event. A webhook must be signed according to Standard Webhooks, at
 *  most 5 minutes ago. A message of SNS must be in its envelope, signed by SNS, from the expected topic, and at most
 *  65 minutes old (`maxAgeSeconds`).
 *
 *  Resolves with undefined if SNS sent a message without an event: a confirmation, which `verify` answers, or the end
 *  of the subscription. Answer 2xx.
 *
 *      const event = await verify(request, process.env.WEBHOOK_SECRET ?? '');
 *
 *  It does not drop duplicates, and accepts events of unknown types.
 *
 *  @param request Node's IncomingMessage or the web's Request. Its body must not have been read, unless the framework
 *    that read it kept the bytes, as `rawBody` or `body`
 *  @param secret the signing secret of a webhook (`whsec_…`), several during a rotation, or the topic of SNS
 *  @throws Refusal if the request is refused: answer its `status` and `message`
 *  @throws TypeError if `secret` names no sender, or the body was read and not kept: an error of the receiver, so
 *    answer 500 */
export async function verify<Types extends RecordTypes = AnyRecords>(
  request: NodeRequest | WebRequest,
  secret: string | readonly string[] | Senders,
): Promise<SentEvent<Types> | undefined> {
  if (isBatch(request))
    throw new Refusal(415, 'This is a batch of events: the receiver must call verifyAll.');
  const [event] = await verifyAll<Types>(request, secret);
  return event;
}

/** Verifies the sender of a request, as `verify` does, and returns its events in their order: those of a batch (an
 *  endpoint with `batch`), or the one of another request. Answer 2xx once all are stored: a batch is
 *  sent again as a whole.
 *
 *  @throws Refusal if the request is refused: answer its `status` and `message`
 *  @throws TypeError as for `verify` */
export async function verifyAll<Types extends RecordTypes = AnyRecords>(
  request: NodeRequest | WebRequest,
  secret: string | readonly string[] | Senders,
): Promise<SentEvent<Types>[]> {
  const { secrets, topic, allowLoopback, maxAgeSeconds } = readSenders(secret);
  const header = (name: string) => headerOf(request, name);
  const isSns = secrets.length === 0 || header('x-amz-sns-message-type') !== '';
  const maxBytes = isSns && topic ? MAX_SNS_BYTES : isBatch(request) ? MAX_BATCH_BYTES : MAX_WEBHOOK_BYTES;
  const body = await bodyOf(request, maxBytes);
  // Each library is loaded on first use.
  if (!isSns) {
    (await import('./webhooks.ts')).verifyWebhook(header, body, secrets);
    return (isBatch(request) ? parseBatch(body) : [parseEvent(body)]) as SentEvent<Types>[];
  }
  if (topic === undefined) throw new Refusal(403, 'SNS messages are not accepted here: no topicArn is set.');
  const event = await (await import('./sns.ts')).readSns(header, body, {
    topic,
    allowLoopback,
    maxAgeSeconds,
  });
  return (event ? [event] : []) as SentEvent<Types>[];
}

function isBatch(request: NodeRequest | WebRequest): boolean {
  return headerOf(request, 'content-type').startsWith('application/cloudevents-batch+json');
}
