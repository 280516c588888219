import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import type { Clock } from '../../functions/clock.ts';
import type { Deliver } from '../../functions/create-deliver.ts';
import type { Queues } from '../../functions/delivery/queues.ts';
import type { Spool } from './spool.ts';

/** The message attribute by which a message that was parked is known again, whatever id the queue gives it. */
export const KEY_ATTRIBUTE = 'spoolKey';

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
    const batch = Records.map(record => ({ record: withHistory(record, spool), parked: false }));
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

function withHistory(record: SQSRecord, spool: Spool): SQSRecord {
  const key = keyOf(record);
  spool.received(key);
  const { ApproximateFirstReceiveTimestamp, ApproximateReceiveCount } = record.attributes;
  const { firstReceived, receives = 0 } = spool.get(key) ?? {};
  return {
    ...record,
    attributes: {
      ...record.attributes,
      ApproximateFirstReceiveTimestamp: String(firstReceived ?? ApproximateFirstReceiveTimestamp),
      ApproximateReceiveCount: String(receives + Number(ApproximateReceiveCount)),
    },
  };
}

function keyOf({ messageAttributes, messageId }: SQSRecord): string {
  return messageAttributes[KEY_ATTRIBUTE]?.stringValue ?? messageId;
}
