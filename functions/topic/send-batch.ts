import { PublishBatchCommand, type SNSClient } from '@aws-sdk/client-sns';
import type { Random, Sleep } from '../clock.ts';
import type { Message } from './entry.ts';
import { isRefusal } from './refusal.ts';

/** Tries of one batch, counting the first. SNS fails single entries of a batch that it answers with 200. */
const TRIES = 5;
const FIRST_WAIT_MS = 100;

export interface Topic {
  readonly sns: Pick<SNSClient, 'send'>;
  readonly topicArn: string;
  readonly sleep: Sleep;
  readonly random: Random;
}

/** What became of the messages that SNS did not take, by their place in the batch. */
export interface Unsent {
  /** Never: the message itself is at fault. */
  readonly refused: readonly { readonly index: number; readonly reason: string }[];
  /** Not now. */
  readonly failed: readonly { readonly index: number; readonly reason: string }[];
}

/** Publishes up to 10 messages; entries that fail are sent again with exponential backoff and full jitter. A batch that SNS
 *  refuses as a whole for what is in it is sent message by message, so that only those at fault are refused.
 *  @throws what the SDK throws when whole requests fail for another reason, after its own retries. */
export async function sendBatch(topic: Topic, messages: readonly Message[]): Promise<Unsent> {
  try {
    return await sendTogether(topic, messages);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    if (messages.length > 1) return sendSingly(topic, messages);
    return { refused: [{ index: 0, reason: String(error) }], failed: [] };
  }
}

/** Ends at the first message that is not taken now, for those behind it come again with it. */
async function sendSingly(topic: Topic, messages: readonly Message[]): Promise<Unsent> {
  const refused: { index: number; reason: string }[] = [];
  for (const [index, message] of messages.entries()) {
    const alone = await sendBatch(topic, [message]);
    refused.push(...alone.refused.map(({ reason }) => ({ index, reason })));
    if (alone.failed.length > 0)
      return { refused, failed: alone.failed.map(({ reason }) => ({ index, reason })) };
  }
  return { refused, failed: [] };
}

async function sendTogether(topic: Topic, messages: readonly Message[]): Promise<Unsent> {
  let rest = messages.map((message, index) => ({ message, index }));
  const refused: { index: number; reason: string }[] = [];
  let failed: { index: number; reason: string }[] = [];
  for (let attempt = 0; attempt < TRIES && rest.length > 0; attempt++) {
    if (attempt > 0) await topic.sleep(topic.random() * FIRST_WAIT_MS * 2 ** attempt);
    const entries = rest.map(({ message, index }) => ({ Id: String(index), ...message }));
    const { Failed = [] } = await topic.sns.send(
      new PublishBatchCommand({ TopicArn: topic.topicArn, PublishBatchRequestEntries: entries }),
    );
    const failures = Failed.map(({ Id, SenderFault, Code, Message }) => ({
      index: Number(Id),
      senderFault: SenderFault === true,
      reason: [Code, Message].filter(Boolean).join(': '),
    }));
    refused.push(
      ...failures.filter(failure => failure.senderFault).map(({ index, reason }) => ({ index, reason })),
    );
    failed = failures.filter(failure => !failure.senderFault).map(({ index, reason }) => ({ index, reason }));
    const again = new Set(failed.map(failure => failure.index));
    rest = rest.filter(({ index }) => again.has(index));
  }
  return { refused, failed };
}
