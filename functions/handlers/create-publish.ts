import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { CALL_TIMEOUTS, maxCallMs } from '../aws/clients.ts';
import { type Count, type Log, logEvents, present } from '../basics/telemetry.ts';
import type { ChangeEvent } from '../model/event.ts';
import { decodeEvents } from '../store/codec.ts';
import { CHANGE } from '../store/keys.ts';
import { type Message, messageOf } from '../topic/entry.ts';
import { batchesOf, sendBatch, type Topic } from '../topic/send-batch.ts';

/** What Lambda's context tells of the time that is left. */
interface PublishContext {
  getRemainingTimeInMillis(): number;
}

export type Publish = (event: DynamoDBStreamEvent, context: PublishContext) => Promise<DynamoDBBatchResponse>;

/** Kept free at the end of a run, so that it can still say how far it came: what is begun before that takes no longer than
 *  three calls with all their tries: a batch that SNS refuses whole, its first message alone, and the setting aside of that. */
export const MARGIN_MS = 3 * maxCallMs(CALL_TIMEOUTS.publish);

/** What SNS will never take, with the reason: it is kept whole in a queue, so that an operator can send it. */
export interface Rejected {
  readonly reason: string;
  /** The change record's keys. */
  readonly pk: string;
  readonly sk: string;
  readonly event?: ChangeEvent;
}

interface PublishDependencies extends Omit<Topic, 'isLate' | 'refuse'> {
  readonly reject: (rejected: Rejected) => Promise<void>;
  readonly log: Log;
  readonly count: Count;
}

/** A change record as the stream hands it over. */
interface Change {
  readonly dynamodb: {
    readonly SequenceNumber: string;
    readonly Keys: { readonly pk: { readonly S: string }; readonly sk: { readonly S: string } };
    /** Base64 from Lambda, bytes from elsewhere. */
    readonly NewImage: { readonly events: { readonly B: string } };
  };
}

interface Outgoing {
  readonly event: ChangeEvent;
  readonly message: Message;
  readonly record: Change;
}

/** Where a run ends early: the first record that is not done with. */
interface Stop {
  readonly record: Change;
  readonly event?: ChangeEvent;
  /** True when nothing failed, and there is no time left. */
  readonly isLate: boolean;
}

/** The publisher: change records in, messages out, in the stream's order. At the first record that SNS does not take
 *  now, or for which no time is left, it stops and reports that record: Lambda sends it and those behind it again. The
 *  first batch is tried however little time there is, so that each run gets further. */
export function createPublish(dependencies: PublishDependencies): Publish {
  return async ({ Records }, context) => {
    const isLate = () => context.getRemainingTimeInMillis() < MARGIN_MS;
    const changes = Records.filter(isChange);
    if (changes.length === 0) return { batchItemFailures: [] };
    const { outgoing, rest } = await readAll(changes, isLate, dependencies);
    const { ids, stop = rest } = await publishAll(batchesOf(outgoing), isLate, dependencies);
    dependencies.count(present({ EventsPublished: ids.length }));
    report(ids, stop, dependencies);
    return { batchItemFailures: stop ? [{ itemIdentifier: stop.record.dynamodb.SequenceNumber }] : [] };
  };
}

/** Logs what was published; of what the stream sends again, only where that begins. */
function report(published: readonly string[], stop: Stop | undefined, { log }: PublishDependencies): void {
  const again = stop && { itemIdentifier: stop.record.dynamodb.SequenceNumber, id: stop.event?.id };
  if (stop && !stop.isLate) log.warn('SNS did not take events; the stream sends them again.', again);
  logEvents(log, 'Publish batch ended.', published, again && { again });
}

/** How far it came: the ids of the events that SNS took, and where it stopped. */
interface Published {
  readonly ids: readonly string[];
  readonly stop?: Stop | undefined;
}

async function publishAll(
  batches: readonly (readonly Outgoing[])[],
  isLate: () => boolean,
  dependencies: PublishDependencies,
): Promise<Published> {
  const ids: string[] = [];
  for (const [index, batch] of batches.entries()) {
    if (index > 0 && isLate()) return { ids, stop: stopAt(batch, 0, true) };
    const published = await publishBatch(batch, isLate, dependencies);
    ids.push(...published.ids);
    if (published.stop) return { ids, stop: published.stop };
  }
  return { ids };
}

/** Publishes one batch. The stream repeats everything from the first message that was not sent, including
 *  later ones that SNS did take. */
async function publishBatch(
  batch: readonly Outgoing[],
  isLate: () => boolean,
  dependencies: PublishDependencies,
): Promise<Published> {
  const refused = new Set<number>();
  const refuse = (index: number, reason: string) => {
    refused.add(index);
    return moveToFailed(batch[index] as Outgoing, reason, dependencies);
  };
  try {
    const messages = batch.map(({ message }) => message);
    const { failed, untried = batch.length } = await sendBatch({ ...dependencies, isLate, refuse }, messages);
    const ids = batch.flatMap(({ event }, index) =>
      index >= untried || refused.has(index) || failed.includes(index) ? [] : [event.id],
    );
    if (failed.length > 0) return { ids, stop: stopAt(batch, Math.min(...failed), false) };
    return untried < batch.length ? { ids, stop: stopAt(batch, untried, true) } : { ids };
  } catch (error) {
    dependencies.log.error('Publishing failed.', { error: String(error) });
    return { ids: [], stop: stopAt(batch, 0, false) };
  }
}

function stopAt(batch: readonly Outgoing[], index: number, isLate: boolean): Stop {
  const { record, event } = batch[index] as Outgoing;
  return { record, event, isLate };
}

/** The events of the records, up to the first for which no time is left: a record that can't be read takes a
 *  call to set aside. */
async function readAll(
  records: readonly Change[],
  isLate: () => boolean,
  dependencies: PublishDependencies,
): Promise<{ outgoing: Outgoing[]; rest?: Stop }> {
  const outgoing: Outgoing[] = [];
  for (const [index, record] of records.entries()) {
    if (index > 0 && isLate()) return { outgoing, rest: { record, isLate: true } };
    outgoing.push(...(await eventsOf(record, dependencies)));
  }
  return { outgoing };
}

function isChange(record: unknown): record is Change {
  const { eventName, dynamodb } = record as DynamoDBRecord;
  return eventName === 'INSERT' && dynamodb?.Keys?.sk?.S?.startsWith(CHANGE) === true;
}

/** A record that nobody can read must not hold up those behind it: it is set aside as well. */
async function eventsOf(record: Change, dependencies: PublishDependencies): Promise<Outgoing[]> {
  try {
    const events = decodeEvents(Buffer.from(record.dynamodb.NewImage.events.B, 'base64'));
    return events.map(event => ({ event, message: messageOf(event), record }));
  } catch (error) {
    await moveToFailed({ record }, `The change record can not be read: ${String(error)}`, dependencies);
    return [];
  }
}

async function moveToFailed(
  { record, event }: Pick<Outgoing, 'record'> & { event?: ChangeEvent },
  reason: string,
  { reject, log }: PublishDependencies,
): Promise<void> {
  const { pk, sk } = record.dynamodb.Keys;
  const rejected = { reason, pk: pk.S, sk: sk.S, ...(event && { event }) };
  await reject(rejected);
  log.error('An event can not be published; it waits in the queue of rejected events.', {
    reason,
    sk: rejected.sk,
    id: event?.id,
  });
}
