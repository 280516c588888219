import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import type { Clock, Random, Sleep } from '../../basics/clock.ts';
import type { Keep } from '../limits.ts';

export interface Table {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  readonly timing: TableTiming;
  /** How long what is written is kept; by default, `KEEP`. */
  readonly keep?: Keep | undefined;
}

/** The retries of requests that were throttled, or that conflicted with another transaction. */
export interface TableTiming {
  readonly clock: Clock;
  readonly random: Random;
  readonly sleep: Sleep;
  /** In ms since 1970 by `clock`: no wait extends beyond it. */
  readonly deadline?: number;
}

/** With full jitter the waits add up to 5 s at most, and to half of that on average. The SDK's own
 *  retries, if any, happen within each try. */
const MAX_TRIES = 8;
const FIRST_WAIT_MS = 50;
const MAX_WAIT_MS = 1_600;

/** Runs a conditional write: false when its condition failed, because another write came first. Every
 *  other failure is thrown unchanged, after the retries of `withRetry`. */
export async function conditionalWrite(table: Table, write: () => Promise<unknown>): Promise<boolean> {
  return (await sendConditional(table, write)) !== undefined;
}

/** The answer of a conditional write; undefined when its condition failed. */
export async function sendConditional<Answer>(
  table: Table,
  write: () => Promise<Answer>,
): Promise<Answer | undefined> {
  try {
    return await withRetry(table, write);
  } catch (error) {
    if (isConditionFailure(error)) return undefined;
    throw error;
  }
}

/** Sends a request, and retries while the table reports that nothing happened and a retry may work: it was
 *  throttled, or another transaction was in progress on one of its items. Waits with exponential backoff and
 *  full jitter.
 *  @throws the last of these failures when its tries or its time are used up; every other immediately */
export async function withRetry<Answer>(table: Table, send: () => Promise<Answer>): Promise<Answer> {
  for (let tried = 1; ; tried++) {
    try {
      return await send();
    } catch (error) {
      if (!mayWorkLater(error) || !(await waitAfter(table, tried))) throw error;
    }
  }
}

/** Waits before the next try; false when no try is left. */
export async function waitAfter({ timing }: Table, tried: number): Promise<boolean> {
  const { clock, random, sleep, deadline = Number.POSITIVE_INFINITY } = timing;
  if (tried >= MAX_TRIES) return false;
  const wait = random() * Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (tried - 1));
  if (clock() + wait >= deadline) return false;
  await sleep(wait);
  return true;
}

/** True when a condition failed, even if the transaction met a transient failure as well. A retry would
 *  not help: versions only grow, and a lost lease stays lost. */
function isConditionFailure(error: unknown): boolean {
  if (error instanceof ConditionalCheckFailedException) return true;
  const reasons = reasonsOf(error);
  return reasons.includes('ConditionalCheckFailed') && reasons.every(isConditionOrTransient);
}

const TRANSIENT_ERRORS = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
  'TransactionConflictException',
  'TransactionInProgressException',
]);
const TRANSIENT_REASONS = new Set([
  'ProvisionedThroughputExceeded',
  'ThrottlingError',
  'TransactionConflict',
]);

/** True when the failure is transient: the same request may succeed later. The SDK repeats throttled
 *  requests, but neither cancelled transactions nor single writes that conflicted with one. */
function mayWorkLater(error: unknown): boolean {
  if (error instanceof Error && TRANSIENT_ERRORS.has(error.name)) return true;
  const reasons = reasonsOf(error);
  return reasons.length > 0 && reasons.every(reason => TRANSIENT_REASONS.has(reason));
}

function isConditionOrTransient(reason: string): boolean {
  return reason === 'ConditionalCheckFailed' || TRANSIENT_REASONS.has(reason);
}

/** The reasons for which a transaction was cancelled, without the items that did not cause it. */
function reasonsOf(error: unknown): string[] {
  // Stryker disable next-line ArrayDeclaration: an unknown reason is not transient, either
  if (!(error instanceof TransactionCanceledException)) return [];
  // Stryker disable next-line ArrayDeclaration: as above
  return (error.CancellationReasons ?? []).flatMap(({ Code = 'None' }) => (Code === 'None' ? [] : [Code]));
}
