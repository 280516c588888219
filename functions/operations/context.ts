import type { Clock } from '../basics/clock.ts';
import type { Mode, ProcessKey } from '../basics/process.ts';
import type { Log } from '../basics/telemetry.ts';
import type { GuardedAgentOptions } from '../delivery/http/guarded-agent.ts';
import type { Queues } from '../delivery/queues.ts';
import type { Sender } from '../delivery/sender.ts';
import type { Disk } from '../model/disk.ts';
import type { EndpointSettings } from '../model/endpoint.ts';
import type { SecretKeeper } from '../model/secret.ts';
import type { ServiceConnection } from '../service/service.ts';
import type { Action, ChangeRecord, ChangeRecords, KnownProcess, Store, Subject } from '../store/store.ts';
import type { AnswerOf, FailedMessage, LogEntry } from './protocol/answers.ts';
import type { Act, FailedQueueName, FunctionName, Operation, RequestOf } from './protocol/requests.ts';

/** The ports of the operations. */
export interface OperationsContext
  extends Pick<
      Store,
      | 'endpoints'
      | 'deliveries'
      | 'journal'
      | 'snapshots'
      | 'states'
      | 'roster'
      | 'workspaces'
      | 'actions'
      | 'keep'
    >,
    Pick<Sender, 'openPoster' | 'jobsOf'> {
  /** The name of this installation: `run` on one machine, otherwise the stack's name. */
  readonly label: string;
  /** How to apply a changed configuration. */
  readonly toApply: 'deploy' | 'reload' | 'start again';
  /** Whether passes run; false on one machine while only its store is open. */
  readonly isRunning: boolean;
  /** The endpoints of the configuration, which operations can't change. */
  readonly configured: readonly EndpointSettings[];
  /** The configured processes, in any order. */
  readonly processes: () => Promise<readonly KnownProcess[]>;
  readonly queues: Pick<Queues, 'wake'>;
  /** Starts a pass. @throws Refused where nothing runs that could make it */
  readonly startPass: (process: ProcessKey, mode: Mode) => Promise<void>;
  readonly secrets: SecretKeeper;
  readonly address: Pick<GuardedAgentOptions, 'allowLoopback' | 'networks' | 'resolve'>;
  /** Runs the doctor on one process. @throws Refused where that can't be done */
  readonly doctor: (process: KnownProcess) => Promise<AnswerOf<'doctor'>>;
  /** Connects to a workspace's service, with at most this many requests at once.
   *  @throws Refused where that can't be done */
  readonly connectService: (workspace: string, concurrency: number) => ServiceConnection;
  /** The disk with the data, on one machine. */
  readonly disk?: () => Promise<Disk | undefined>;
  /** Reads the configuration again, and takes it up unless `dryRun`; on a running machine only.
   *  @throws Refused for a configuration that can't be taken up */
  readonly reload?: (dryRun: boolean) => Promise<AnswerOf<'reload'>>;
  readonly stack?: StackPorts;
  readonly clock: Clock;
  readonly log: Log;
  /** `size` unpredictable bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
  readonly newId: () => string;
}

/** The ports that exist on AWS only. */
export interface StackPorts {
  readonly readLog: (stretch: LogStretch, limit: number) => Promise<LogPage>;
  readonly failedQueues: Readonly<Record<FailedQueueName, FailedQueue>>;
  /** Sends messages that could not be processed back to their queues. @returns how many */
  readonly retryUnsettled: () => Promise<number>;
  readonly changeRecords: ChangeRecords;
  /** Publishes records in their order. @returns how many, counted from the first */
  readonly publish: (records: readonly ChangeRecord[]) => Promise<number>;
}

/** The part of a log to read, in ms since 1970. */
interface LogStretch {
  readonly function: FunctionName;
  readonly since: number;
  readonly until: number;
  /** Not only warnings and errors. */
  readonly all: boolean;
  /** The end of the previous page of the same stretch. */
  readonly position?: string | undefined;
}

export interface LogPage {
  readonly entries: readonly LogEntry[];
  /** Where the next page begins; undefined on the last one. A page may be empty but not the last. */
  readonly position: string | undefined;
}

/** A dead-letter queue. */
interface FailedQueue {
  /** The number of messages, which SQS knows only approximately. */
  count(): Promise<number>;
  /** Up to ten messages, which stay in the queue. */
  peek(): Promise<FailedMessage[]>;
  clear(): Promise<void>;
}

/** The function of one operation. @throws Refused for a request that can't be carried out */
export type OperationOf<Name extends Operation> = (
  context: OperationsContext,
  asked: RequestOf<Name>,
) => Promise<Name extends Act ? Acted<AnswerOf<Name>> : AnswerOf<Name>>;

/** The answer of an operation that acts, with its entry in the action log if something changed. `details` may have
 *  known names, times and numbers, but no input. */
export interface Acted<Answer> {
  readonly answer: Answer;
  readonly action?: Pick<Action, 'subject' | 'details'>;
}

export function acted<Answer>(
  subject: Subject,
  answer: Answer,
  details: readonly string[] = [],
): Acted<Answer> {
  return { answer, action: { subject, ...(details.length > 0 && { details: details.join(', ') }) } };
}
