import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type * as z from 'zod';
import { bounded, PATIENCE } from '../../aws/clients.ts';
import type { operateEnvironment } from '../../config/environments.ts';
import { sendOne } from '../../queue/queue.ts';
import { sqsQueue } from '../../queue/sqs.ts';
import { askedPass, passIn } from '../../schedule/pass-message.ts';
import type { ChangeRecord, ChangeRecords } from '../../store/store.ts';
import type { Passes, StackPorts } from '../context.ts';
import { cloudWatchLogs } from './logs.ts';
import { retryUnsettled, setAsideQueue } from './set-aside.ts';

type Settings = z.infer<typeof operateEnvironment>;

/** The ports that only a stack has: its logs, its dead-letter queues, and functions to invoke. */
export function openStack(
  settings: Settings,
  changeRecords: ChangeRecords,
  sqs: SQSClient,
): StackPorts & { readonly startPass: Passes['start'] } {
  const patience = bounded(PATIENCE.operate);
  const unsettled = settings.UNSETTLED_QUEUE_URL;
  const sources = [
    settings.EVENTS_QUEUE_URL,
    settings.DELIVERIES_QUEUE_URL,
    settings.CHAT_QUEUE_URL,
    settings.PASSES_QUEUE_URL,
  ] as const;
  const passes = sqsQueue(sqs, settings.PASSES_QUEUE_URL);
  const publisher = new LambdaClient(bounded(PATIENCE.publishing));
  return {
    logs: cloudWatchLogs(new CloudWatchLogsClient(patience), {
      poll: settings.POLL_LOGS,
      publish: settings.PUBLISH_LOGS,
      route: settings.ROUTE_LOGS,
      deliver: settings.DELIVER_LOGS,
      tick: settings.TICK_LOGS,
      operate: settings.OPERATE_LOGS,
    }),
    setAside: {
      rejected: setAsideQueue(sqs, 'rejected', settings.REJECTED_QUEUE_URL),
      unpublished: setAsideQueue(sqs, 'unpublished', settings.UNPUBLISHED_QUEUE_URL),
      unstarted: setAsideQueue(sqs, 'unstarted', settings.UNSTARTED_QUEUE_URL),
      unsettled: setAsideQueue(sqs, 'unsettled', unsettled),
    },
    retryUnsettled: () => retryUnsettled(sqs, { unsettled, sources }),
    changeRecords,
    publish: records => publishAgain(publisher, settings.PUBLISH_FUNCTION, records),
    startPass: (process, mode) => sendOne(passes, passIn(askedPass(process, mode, Date.now()))),
  };
}

/** Has the publish function publish change records, by the event that the table's stream would send.
 *  @returns how many of them were published, the first ones */
export async function publishAgain(
  client: Pick<LambdaClient, 'send'>,
  FunctionName: string,
  records: readonly ChangeRecord[],
): Promise<number> {
  const Records = records.map(({ pk, sk, encoded }, place) => {
    const keys = { pk: { S: pk }, sk: { S: sk } };
    const NewImage = { ...keys, events: { B: Buffer.from(encoded).toString('base64') } };
    // The one of the first that was not published comes back.
    const dynamodb = { Keys: keys, NewImage, SequenceNumber: String(place) };
    return { eventID: String(place), eventName: 'INSERT', dynamodb };
  });
  const { FunctionError, Payload } = await client.send(
    new InvokeCommand({ FunctionName, Payload: JSON.stringify({ Records }) }),
  );
  const text = Buffer.from(Payload ?? []).toString();
  if (FunctionError !== undefined) throw new Error(`The publish function failed: ${text.slice(0, 500)}`);
  const { batchItemFailures } = JSON.parse(text) as { batchItemFailures: { itemIdentifier: string }[] };
  return Math.min(records.length, ...batchItemFailures.map(({ itemIdentifier }) => Number(itemIdentifier)));
}
