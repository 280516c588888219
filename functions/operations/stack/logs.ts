import { type CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import type { JsonObject } from '../../basics/json.ts';
import type { LogReader } from '../context.ts';
import type { FunctionName, LogEntry } from '../protocol/logs.ts';

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
  const json = jsonObject(line);
  if (!json) return [{ at, level: isEnd(line) ? 'error' : 'info', message: line.trim(), details: {} }];
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

function jsonObject(line: string): JsonObject | undefined {
  try {
    const parsed: unknown = JSON.parse(line);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
      ? (parsed as JsonObject)
      : undefined;
  } catch {
    return undefined;
  }
}
