import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { CALL_TIMEOUTS, maxCallMs } from '../aws/clients.ts';
import { logIfAssertion } from '../basics/assert.ts';
import { type Log, logEvents } from '../basics/telemetry.ts';
import { isErased } from '../model/erase.ts';
import type { ChangeEvent } from '../model/event.ts';
import { decodeEvents } from '../store/codec.ts';
import { CHANGE } from '../store/keys.ts';
import { batchesOf, type Message, messageOf, sendBatch, type Topic } from '../topic/send-batch.ts';

/** What a run needs of Lambda's context. */
interface PublishContext {
  getRemainingTimeInMillis(): number;
}

export type Publish = (event: DynamoDBStreamEvent, context: PublishContext) => Promise<DynamoDBBatchResponse>;

/** Reserved at the end of a run for reporting its progress. Work that was started before takes at most
 *  three calls with all their tries: a batch that SNS refuses as a whole, its first message alone, and the
 *  rejection of that message. */
export const MARGIN_MS = 3 * maxCallMs(CALL_TIMEOUTS.publish);

/** An event that SNS will never accept, with the reason: kept in a queue, so that an operator can send it. */
interface Rejected {
  readonly reason: string;
  /** The change record's keys. */
  readonly pk: string;
  readonly sk: string;
  readonly event?: ChangeEvent;
}

interface PublishDependencies extends Omit<Topic, 'isLate' | 'refuse'> {
  readonly reject: (rejected: Rejected) => Promise<void>;
  readonly log: Log;
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

/** Where a run ends early: its first unfinished record. */
interface Stop {
  readonly record: Change;
  readonly event?: ChangeEvent;
  /** True when nothing failed, but time is up. */
  readonly isLate: boolean;
}

/** The publisher: sends change records as messages, in the stream's order. At the first record that SNS
 *  does not accept now, or for which time is up, it stops and reports that record: Lambda sends it and all
 *  later ones again. The first batch is always tried, so that each run makes progress. */
export function createPublish(dependencies: PublishDependencies): Publish {
  return async ({ Records }, context) => {
    const isLate = () => context.getRemainingTimeInMillis() < MARGIN_MS;
    const changes = Records.filter(isChange);
    if (changes.length === 0) return { batchItemFailures: [] };
    const { outgoing, rest } = await readAll(changes, isLate, dependencies);
    const { ids, stop = rest } = await publishAll(batchesOf(outgoing), isLate, dependencies);
    report(ids, stop, dependencies);
    return { batchItemFailures: stop ? [{ itemIdentifier: stop.record.dynamodb.SequenceNumber }] : [] };
  };
}

/** Logs the published events; of those that the stream sends again, only the first. */
function report(published: readonly string[], stop: Stop | undefined, { log }: PublishDependencies): void {
  const again = stop && { itemIdentifier: stop.record.dynamodb.SequenceNumber, id: stop.event?.id };
  if (stop && !stop.isLate)
    log.warn('SNS did not accept events; the stream sends them again.', { code: 'publish.unsent', ...again });
  logEvents(log, 'Publish batch ended.', published, { code: 'publish.batch-ended', ...(again && { again }) });
}

/** The ids of the events that SNS accepted, and where publishing stopped. */
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

/** Publishes one batch. The stream repeats everything from the first unsent message, including later ones
 *  that SNS did accept. */
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
    logIfAssertion(dependencies.log, error, {});
    dependencies.log.error('Could not publish a batch; the stream sends it again.', {
      code: 'publish.failed',
      error: String(error),
    });
    return { ids: [], stop: stopAt(batch, 0, false) };
  }
}

function stopAt(batch: readonly Outgoing[], index: number, isLate: boolean): Stop {
  const { record, event } = batch[index] as Outgoing;
  return { record, event, isLate };
}

/** The events of the records, up to the first for which time is up: an unreadable record takes a call to
 *  reject it. */
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

/** An unreadable record must not block later ones: it is rejected, too. */
async function eventsOf(record: Change, dependencies: PublishDependencies): Promise<Outgoing[]> {
  try {
    const events = decodeEvents(Buffer.from(record.dynamodb.NewImage.events.B, 'base64'));
    return events
      .filter(event => !isErased(event))
      .map(event => ({ event, message: messageOf(event), record }));
  } catch (error) {
    await moveToFailed({ record }, `Unreadable change record: ${String(error)}`, dependencies);
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
  log.error('Could not publish an event; moved to the queue of rejected events.', {
    code: 'publish.rejected',
    reason,
    sk: rejected.sk,
    id: event?.id,
  });
}
