import { CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type * as z from 'zod';
import { bounded, PATIENCE } from '../../aws/clients.ts';
import { isJsonObject, type JsonObject, jsonOf } from '../../basics/json.ts';
import type { operateEnvironment } from '../../config/environments.ts';
import { sendOne } from '../../queue/queue.ts';
import { sqsQueue } from '../../queue/sqs.ts';
import { askedPass, passIn } from '../../schedule/pass-message.ts';
import type { ChangeRecord, ChangeRecords } from '../../store/store.ts';
import type { LogReader, Passes, StackPorts } from '../context.ts';
import type { LogEntry } from '../protocol/answers.ts';
import type { FunctionName } from '../protocol/requests.ts';
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

/** Warnings and errors of the functions and of the runtime, and runs that Lambda ended. */
const PROBLEMS = [
  ...['WARN', 'ERROR', 'CRITICAL', 'FATAL'].map(level => `($.level = "${level}")`),
  ...['timeout', 'error', 'failure'].map(status => `($.record.status = "${status}")`),
].join(' || ');

/** The log groups of the stack's functions, by function. */
export type LogGroups = Readonly<Record<FunctionName, string>>;

/** The functions' logs in CloudWatch. */
export function cloudWatchLogs(client: Pick<CloudWatchLogsClient, 'send'>, groups: LogGroups): LogReader {
  return {
    async read({ function: name, since, until, all, position }, limit) {
      const { events = [], nextToken } = await client.send(
        new FilterLogEventsCommand({
          logGroupName: groups[name],
          startTime: since,
          endTime: until,
          limit,
          ...(!all && { filterPattern: `{ ${PROBLEMS} }` }),
          ...(position !== undefined && { nextToken: position }),
        }),
      );
      const entries = events.flatMap(({ message = '', timestamp = since }) => logEntryOf(message, timestamp));
      return { entries, position: nextToken };
    },
  };
}

const LEVELS: Readonly<Record<string, LogEntry['level']>> = {
  ...{ TRACE: 'debug', DEBUG: 'debug', INFO: 'info' },
  ...{ WARN: 'warn', ERROR: 'error', CRITICAL: 'error', FATAL: 'error' },
};

/** Keys of every line that no reader needs. */
const NOISE = new Set([
  'level',
  'message',
  'timestamp',
  'service',
  'cold_start',
  'sampling_rate',
  'xray_trace_id',
]);

/** A line of a function's log for people; empty for one that only carries metrics. */
export function logEntryOf(line: string, timestamp: number): LogEntry[] {
  const at = new Date(timestamp).toISOString();
  const json = jsonOf(line);
  if (!isJsonObject(json))
    return [{ at, level: isEnd(line) ? 'error' : 'info', message: line.trim(), details: {} }];
  if ('_aws' in json) return [];
  if (typeof json.type === 'string' && json.type.startsWith('platform.')) return [platformEntry(json, at)];
  const { level, message = '' } = json;
  const rest = Object.entries(json).filter(([key]) => !NOISE.has(key) && !key.startsWith('function_'));
  const isText = typeof message === 'string';
  return [
    {
      at,
      level: LEVELS[String(level)] ?? 'info',
      message: isText
        ? message
        : String((message as JsonObject | null)?.errorMessage ?? 'The function failed.'),
      details: Object.fromEntries([...rest, ...(isText ? [] : Object.entries(message ?? {}))]),
    },
  ];
}

/** A line of Lambda itself about a run. */
function platformEntry({ type, record }: JsonObject, at: string): LogEntry {
  const { status, ...more } = (record ?? {}) as JsonObject;
  const isBad = status === 'timeout' || status === 'error' || status === 'failure';
  return {
    at,
    level: isBad ? 'error' : 'info',
    message: isBad ? `Lambda ended a run: ${status}.` : String(type),
    details: more,
  };
}

/** Lambda's own lines in a log that is not JSON. */
function isEnd(line: string): boolean {
  return /Task timed out|Runtime\.\w+|signal: killed|REPORT.*Error/.test(line);
}
