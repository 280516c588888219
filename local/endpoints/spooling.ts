import type { SendMessageCommandInput } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import type { Clock } from '../../functions/clock.ts';
import type { Deliver } from '../../functions/create-deliver.ts';
import type { Queues } from '../../functions/delivery/queues.ts';
import type { QueuedMessage } from '../sns/emulator.ts';
import type { Spool, Waiting } from './spool.ts';

/** The message attribute by which a message that was parked is known again, whatever id the queue gives it. */
const KEY_ATTRIBUTE = 'spoolKey';

/** The message that puts a parked one back into the queue. It holds the key alone: the body stays in the spool, since the
 *  embedded SQS takes no character beyond 16 bits from whoever sends a message, though it does from a topic. */
export function returned(key: string): Pick<SendMessageCommandInput, 'MessageBody' | 'MessageAttributes'> {
  return {
    MessageBody: key,
    MessageAttributes: { [KEY_ATTRIBUTE]: { DataType: 'String', StringValue: key } },
  };
}

/** The messages of a queue whose bodies it holds itself. The others are in the spool, or settled. */
export function waitingOnlyIn(queued: readonly QueuedMessage[]): Waiting[] {
  return queued
    .filter(({ messageAttributes }) => messageAttributes[KEY_ATTRIBUTE] === undefined)
    .map(({ messageId, body }) => ({ key: messageId, body }));
}

interface Work {
  readonly record: SQSRecord;
  parked: boolean;
}

/**
 * Puts the spool between the queue and the deliverer: a message that is to be shown later leaves the queue and is parked,
 * and each record tells the age and the number of attempts of all its runs. `create` makes the deliverer on the queues
 * that it is to use.
 */
export function spooling(
  { spool, queues, clock }: { spool: Spool; queues: Queues; clock: Clock },
  create: (queues: Queues) => Deliver,
): Deliver {
  const works = new Map<string, Work>();
  const deliver = create({
    ...queues,
    async changeVisibility(queueUrl, receiptHandle, seconds) {
      const work = works.get(receiptHandle);
      // What was not even tried stays where it is.
      if (work === undefined || seconds === 0)
        return queues.changeVisibility(queueUrl, receiptHandle, seconds);
      park(work, clock() + seconds * 1000);
    },
  });

  function park(work: Work, due: number): void {
    const { attributes, body } = work.record;
    spool.park({
      key: keyOf(work.record),
      body,
      firstReceived: Number(attributes.ApproximateFirstReceiveTimestamp),
      receives: Number(attributes.ApproximateReceiveCount),
      due,
    });
    work.parked = true;
  }

  return async ({ Records }, context) => {
    const batch = Records.filter(record => !isSettled(record, spool)).map(record => ({
      record: withHistory(record, spool),
      parked: false,
    }));
    for (const work of batch) works.set(work.record.receiptHandle, work);
    try {
      const answer = await deliver({ Records: batch.map(({ record }) => record) }, context);
      return settle(batch, answer, spool);
    } finally {
      for (const { record } of batch) works.delete(record.receiptHandle);
    }
  };
}

/** What leaves the queue is settled, but for what is parked. */
function settle(
  batch: readonly Work[],
  { batchItemFailures }: SQSBatchResponse,
  spool: Spool,
): SQSBatchResponse {
  const parked = new Set(batch.filter(work => work.parked).map(({ record }) => record.messageId));
  const again = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  spool.settle(batch.filter(({ record }) => !again.has(record.messageId)).map(({ record }) => keyOf(record)));
  return { batchItemFailures: batchItemFailures.filter(({ itemIdentifier }) => !parked.has(itemIdentifier)) };
}

/** Such a message leaves the queue, where an earlier delete of it failed; its body is nowhere any more. */
function isSettled(record: SQSRecord, spool: Spool): boolean {
  return wasParked(record) && spool.get(keyOf(record)) === undefined;
}

function withHistory(record: SQSRecord, spool: Spool): SQSRecord {
  const key = keyOf(record);
  spool.received(key);
  const { ApproximateFirstReceiveTimestamp, ApproximateReceiveCount } = record.attributes;
  const spooled = spool.get(key);
  const { firstReceived, receives = 0 } = spooled ?? {};
  return {
    ...record,
    body: spooled?.body ?? record.body,
    attributes: {
      ...record.attributes,
      ApproximateFirstReceiveTimestamp: String(firstReceived ?? ApproximateFirstReceiveTimestamp),
      ApproximateReceiveCount: String(receives + Number(ApproximateReceiveCount)),
    },
  };
}

function wasParked({ messageAttributes }: SQSRecord): boolean {
  return messageAttributes[KEY_ATTRIBUTE] !== undefined;
}

function keyOf({ messageAttributes, messageId }: SQSRecord): string {
  return messageAttributes[KEY_ATTRIBUTE]?.stringValue ?? messageId;
}
