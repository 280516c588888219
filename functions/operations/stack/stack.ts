import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { LambdaClient } from '@aws-sdk/client-lambda';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type * as z from 'zod';
import { bounded, PATIENCE } from '../../aws/clients.ts';
import type { operateEnvironment } from '../../config/environments.ts';
import { sendOne } from '../../queue/queue.ts';
import { sqsQueue } from '../../queue/sqs.ts';
import { askedPass, passIn } from '../../schedule/pass-message.ts';
import { createChangeRecords } from '../../store/dynamo/journal.ts';
import type { Table } from '../../store/dynamo/table.ts';
import type { Passes, StackPorts } from '../context.ts';
import { cloudWatchLogs } from './cloudwatch-logs.ts';
import { publishAgain } from './invoked.ts';
import { retryUnsettled } from './retry-unsettled.ts';
import { setAsideQueue } from './set-aside.ts';

type Settings = z.infer<typeof operateEnvironment>;

/** What only a stack has: its logs, its queues of what was given up, and functions to invoke. */
export function openStack(
  settings: Settings,
  table: Table,
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
    changeRecords: createChangeRecords(table),
    publish: records => publishAgain(publisher, settings.PUBLISH_FUNCTION, records),
    startPass: (process, mode) => sendOne(passes, passIn(askedPass(process, mode, Date.now()))),
  };
}
