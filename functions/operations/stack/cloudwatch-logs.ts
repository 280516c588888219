import { type CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import type { LogReader } from '../context.ts';
import type { FunctionName } from '../protocol/logs.ts';
import { logEntryOf } from './log-entry.ts';

/** Warnings and errors of ours and of the runtime, and runs that Lambda ended. */
const PROBLEMS = [
  ...['WARN', 'ERROR', 'CRITICAL', 'FATAL'].map(level => `($.level = "${level}")`),
  ...['timeout', 'error', 'failure'].map(status => `($.record.status = "${status}")`),
].join(' || ');

/** The log groups of the stack's functions, by function. */
export type LogGroups = Readonly<Record<FunctionName, string>>;

/** What the functions logged, in CloudWatch. */
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
