import type { AttributeValue, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { inParallel } from '../../basics/in-parallel.ts';
import type { ProcessKey } from '../../basics/process.ts';
import { decodePart, encodePart } from '../../model/event-id.ts';
import { debtKey, debtorOf } from '../keys.ts';
import type { DebtChange } from '../snapshots.ts';
import type { Cause, Debt } from '../state.ts';
import { IS_ABSENT, IS_REVISION } from './conditions.ts';
import type { Table } from './table.ts';
import { transact } from './transact.ts';

/** Writes under way at once. */
const WIDTH = 20;

/** Writes each by itself. One that another pass wrote since it was read stays as it is.
 *  @throws the first failure, once all others are over */
export async function writeDebts(
  table: Table,
  process: ProcessKey,
  changes: readonly DebtChange[],
): Promise<void> {
  const failures: unknown[] = [];
  await inParallel(debtWrites(table, process, changes), WIDTH, write =>
    transact(table, [write]).catch(failure => failures.push(failure)),
  );
  if (failures.length > 0) throw failures[0];
}

/** The writes of these debts, each on condition that its row is as it was read. */
export function debtWrites(
  table: Table,
  process: ProcessKey,
  changes: readonly DebtChange[],
): TransactWriteItem[] {
  const { tableName: TableName } = table;
  return changes.map(({ projectId, before, after }): TransactWriteItem => {
    const condition = before
      ? {
          ConditionExpression: IS_REVISION,
          ExpressionAttributeValues: { ':expected': { N: String(before.revision) } },
        }
      : { ConditionExpression: IS_ABSENT };
    const Key = debtKey(process, projectId);
    if (!after) return { Delete: { TableName, Key, ...condition } };
    const revision = nextRevision(table, before);
    return {
      Put: { TableName, Item: { ...Key, ...itemOf(projectId, { ...after, revision }) }, ...condition },
    };
  });
}

/** The debt of a row, by its project. */
export function debtOf(item: Record<string, AttributeValue>): [projectId: string, debt: Debt] {
  const { sk, projectId, cause, since, metAt, reason, told, revision } = item as unknown as DebtItem;
  return [
    debtorOf(sk.S) ?? decodePart(projectId.S),
    {
      cause: cause.S as Cause,
      since: Number(since.N),
      metAt: Number(metAt.N),
      reason: reason.S,
      told: told.BOOL,
      revision: Number(revision.N),
    },
  ];
}

type DebtItem = ReturnType<typeof itemOf> & { readonly sk: { readonly S: string } };

function itemOf(projectId: string, { cause, since, metAt, reason, told, revision }: Debt) {
  return {
    // Needed where the key holds a hash. Encoded, because DynamoDB stores no text with half a surrogate pair.
    projectId: { S: encodePart(projectId) },
    cause: { S: cause },
    since: { N: String(since) },
    metAt: { N: String(metAt) },
    reason: { S: reason.toWellFormed() },
    told: { BOOL: told },
    revision: { N: String(revision) },
  };
}

/** The time in µs, with three random digits at its end: a row that is deleted and made again within the same
 *  ms gets another revision. */
function nextRevision({ patience: { clock, random } }: Table, before: Debt | undefined): number {
  const now = Math.floor(clock()) * 1_000 + Math.floor(random() * 1_000);
  return Math.max((before?.revision ?? 0) + 1, now);
}
