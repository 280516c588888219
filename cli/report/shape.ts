import { FILTER_TYPES } from '../../functions/config/filter.ts';
import { FILTER_KEYS } from '../../functions/model/filter.ts';
import { KIND_NAMES, KIND_SETTINGS } from '../../functions/model/kinds.ts';
import { FAILED_QUEUES, FUNCTIONS } from '../../functions/operations/protocol/requests.ts';
import {
  flag,
  list,
  matching,
  name,
  number,
  object,
  oneOf,
  origin,
  type Rule,
  reason,
  size,
  time,
} from './rules.ts';

const numbers = (...keys: readonly string[]) => object(Object.fromEntries(keys.map(key => [key, number])));
const version = matching(/^\d+(\.\d+){1,3}[\w.+-]{0,40}$/);
const word = matching(/^[a-z0-9_]{1,20}$/);
const interval = numbers('fastest', 'slowest');
const count = object({ atLeast: number, isExact: flag });

/** Of most conditions, only how many values they have: those may be names and values of records. */
const filter = object({
  ...Object.fromEntries(FILTER_KEYS.map((key): [string, Rule] => [key, size])),
  events: list(oneOf(FILTER_TYPES)),
});

const endpointSettings = {
  name: name('endpoint'),
  kind: oneOf(KIND_NAMES),
  filter,
  perSecond: number,
  keepSuccesses: flag,
  record: flag,
  ...Object.fromEntries(
    // Without the addresses of people.
    KIND_SETTINGS.filter(({ name: key }) => key !== 'from' && key !== 'to').map(
      ({ name: key, range, choices }): [string, Rule] => [
        key,
        range ? number : choices ? oneOf(choices) : name('setting'),
      ],
    ),
  ),
};

const process = object({
  id: name('process'),
  overlap: number,
  ignoreFields: list(name('field')),
  withhold: list(name('field')),
  auditLog: flag,
  audit: flag,
  changes: interval,
  sweep: number,
});

const workspace = object({
  name: name('workspace'),
  baseUrl: origin,
  authUrl: origin,
  concurrency: number,
  identifiers: object({ project: name('field'), task: name('field'), user: name('field') }),
  pageSize: numbers('projects', 'tasks', 'auditLog', 'users'),
  dateHeader: flag,
  processes: list(process),
});

const subscription = object({
  name: name('subscription'),
  url: origin,
  allowInsecure: flag,
  raw: flag,
  filter,
  delivery: numbers(
    ...['minDelay', 'maxDelay', 'retries', 'noDelayRetries', 'minDelayRetries', 'maxDelayRetries'],
    'maxPerSecond',
  ),
});

/** Without audience, credentials, links and the address for alarms. Durations in ms. */
const configuration = object({
  stackName: name('stack'),
  changes: interval,
  sweep: number,
  keep: numbers('journal', 'attempts'),
  proxy: origin,
  networks: list(name('network')),
  pollMemory: number,
  logRetentionDays: number,
  workspaces: list(workspace),
  endpoints: list(object(endpointSettings)),
  subscriptions: list(subscription),
});

const failure = object({ since: time, reason });

const processStatus = object({
  workspace: name('workspace'),
  process: name('process'),
  state: oneOf(['unknown', 'baseline', 'stalled', 'failing', 'on-hold', 'degraded', 'healthy', 'removed']),
  watchedSince: time,
  completedAt: time,
  sweptAt: time,
  projects: number,
  interval: number,
  underWay: list(object({ mode: oneOf(['changes', 'sweep']), progress: name('project') })),
  hold: object({ since: time, projects: number, isReleased: flag }),
  stalledSince: time,
  failure,
  failures: object({ changes: failure, sweep: failure }),
  pausedUntil: time,
  rechecks: object({
    ...{ count: number, skipped: number, unread: number },
    first: list(
      object({
        project: name('project'),
        cause: oneOf(['unreadable', 'no-task-list', 'not-listed', 'uncertain']),
        reason,
        ...{ since: time, foundAt: time, isSkipped: flag },
      }),
    ),
  }),
});

const attempt = object({ at: time, status: number, failure: reason, took: number });

const endpointStatus = object({
  ...endpointSettings,
  isConfigured: flag,
  overrides: flag,
  origin,
  state: oneOf(['healthy', 'throttled', 'retrying', 'failing', 'stopped', 'paused']),
  since: time,
  reason,
  nextTryAt: time,
  nextMessageAt: time,
  waiting: count,
  oldestWaiting: time,
  dead: count,
  replay: object({ since: time, until: time, startedAt: time, added: number, percent: number }),
  snapshot: object({ startedAt: time, added: number, isQueued: flag, process: name('process') }),
  lastFailure: object({ at: time, failure: reason, status: number }),
  attempts: object({
    ...{ count: number, failed: number, tookP50: number, tookP95: number },
    lastFailures: list(attempt),
  }),
  deadLetters: list(object({ publishedAt: time, diedAt: time, reason, attempts: number })),
});

const store = object({
  ...{ bytes: number, logBytes: number, freeBytes: number, layout: number },
  journal: object({ records: number, oldest: time, newest: time }),
  rows: numbers('project', 'debt', 'tombstone', 'pending', 'dead', 'attempt', 'action'),
});

/** All that a report may hold. */
export const REPORT = object({
  createdAt: time,
  isAnonymous: flag,
  versions: object({ changewire: version, node: version, sqlite: version, platform: word, arch: word }),
  configuration,
  /** `deployment`: of a stack, its name. */
  run: object({
    at: time,
    place: oneOf(['this machine', 'stack']),
    isRunning: flag,
    disk: object({ free: number, size: number, data: number, isLow: flag }),
    deployment: name('stack'),
  }),
  processes: list(processStatus),
  endpoints: list(endpointStatus),
  store,
  rejected: object({ count: number, last: list(reason) }),
  logs: list(
    object({
      function: oneOf(FUNCTIONS),
      entries: list(
        object({
          at: time,
          level: oneOf(['debug', 'info', 'warn', 'error']),
          code: matching(/^[a-z]{1,20}(\.[a-z]+(-[a-z]+)*){1,3}$/),
        }),
      ),
    }),
  ),
  failedMessages: list(object({ queue: oneOf(FAILED_QUEUES), messages: number, reasons: list(reason) })),
  /** Parts that could not be read. */
  problems: list(
    object({
      part: oneOf(['configuration', 'status', 'endpoints', 'store', 'rejected', 'logs', 'failed messages']),
      reason,
    }),
  ),
});
