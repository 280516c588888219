import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import type { ChangeEvent } from './changes/event.ts';
import { decodeEvents } from './snapshots/codec.ts';
import { CHANGE } from './snapshots/keys.ts';
import type { Count, Log } from './telemetry.ts';
import { batchesOf } from './topic/batches.ts';
import { type Message, messageOf } from './topic/entry.ts';
import { sendBatch, type Topic } from './topic/send-batch.ts';

export type Publish = (event: DynamoDBStreamEvent) => Promise<DynamoDBBatchResponse>;

/** What SNS will never take, with the reason: it is kept whole in a queue, so that an operator can send it. */
export interface Rejected {
  readonly reason: string;
  /** The change record's keys. */
  readonly pk: string;
  readonly sk: string;
  readonly event?: ChangeEvent;
}

export interface PublishDependencies extends Topic {
  readonly reject: (rejected: Rejected) => Promise<void>;
  readonly log: Log;
  readonly count: Count;
}

interface Outgoing {
  readonly event: ChangeEvent;
  readonly message: Message;
  readonly record: DynamoDBRecord;
}

/** The publisher: change records in, messages out, in the stream's order. At the first record that SNS does not take
 *  now, it stops and reports that record: Lambda sends it and those behind it again. */
export function createPublish(dependencies: PublishDependencies): Publish {
  const { log, count } = dependencies;
  return async ({ Records }) => {
    const outgoing: Outgoing[] = [];
    for (const record of Records.filter(isChange)) outgoing.push(...(await eventsOf(record, dependencies)));
    let published = 0;
    for (const batch of batchesOf(outgoing)) {
      const failed = await publishBatch(batch, dependencies);
      if (!failed) {
        published += batch.length;
        continue;
      }
      const itemIdentifier = failed.record.dynamodb?.SequenceNumber ?? '';
      log.warn('SNS did not take events; the stream sends them again.', {
        itemIdentifier,
        id: failed.event.id,
      });
      count('PublishFailed', 1);
      return { batchItemFailures: [{ itemIdentifier }] };
    }
    count('EventsPublished', published);
    return { batchItemFailures: [] };
  };
}

/** The first message that was not sent, or undefined when all were sent or set aside. */
async function publishBatch(
  batch: readonly Outgoing[],
  dependencies: PublishDependencies,
): Promise<Outgoing | undefined> {
  try {
    const { refused, failed } = await sendBatch(
      dependencies,
      batch.map(({ message }) => message),
    );
    for (const { index, reason } of refused) await setAside(batch[index] as Outgoing, reason, dependencies);
    return failed.length === 0 ? undefined : batch[Math.min(...failed.map(({ index }) => index))];
  } catch (error) {
    dependencies.log.error('Publishing failed.', { error: String(error) });
    return batch[0];
  }
}

function isChange({ eventName, dynamodb }: DynamoDBRecord): boolean {
  return eventName === 'INSERT' && dynamodb?.Keys?.sk?.S?.startsWith(CHANGE) === true;
}

/** A record that nobody can read must not hold up those behind it: it is set aside as well. */
async function eventsOf(record: DynamoDBRecord, dependencies: PublishDependencies): Promise<Outgoing[]> {
  try {
    const bytes = record.dynamodb?.NewImage?.events?.B as unknown as string | Uint8Array;
    const events = decodeEvents(typeof bytes === 'string' ? Buffer.from(bytes, 'base64') : bytes);
    return events.map(event => ({ event, message: messageOf(event), record }));
  } catch (error) {
    await setAside({ record }, `The change record can not be read: ${String(error)}`, dependencies);
    return [];
  }
}

async function setAside(
  { record, event }: Pick<Outgoing, 'record'> & { event?: ChangeEvent },
  reason: string,
  { reject, log, count }: PublishDependencies,
): Promise<void> {
  const keys = record.dynamodb?.Keys;
  const rejected = { reason, pk: keys?.pk?.S ?? '', sk: keys?.sk?.S ?? '', ...(event && { event }) };
  await reject(rejected);
  log.error('An event can not be published; it waits in the queue of rejected events.', {
    reason,
    sk: rejected.sk,
    id: event?.id,
  });
  count('EventsRejected', 1);
}
