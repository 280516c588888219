import { changePuts } from './change-items.ts';
import { IS_LAST_ANNOUNCED, NONE_ANNOUNCED, NOT_BASELINED } from './conditions.ts';
import { stateKey } from './keys.ts';
import type { Announcement, CommitResult, ProcessKey } from './snapshots.ts';
import { attributesOf, stateUpdate } from './state-item.ts';
import { storeLargeParts } from './state-parts.ts';
import type { Table } from './table.ts';
import { fit, transact } from './transact.ts';

/** State and change records in one transaction: what is told and that it was told can't part, whatever crashes. */
export async function announce(
  table: Table,
  process: ProcessKey,
  { announced, isSilent, state, said }: Announcement,
): Promise<CommitResult> {
  const changes = changePuts(table, process, '', said);
  // Before anything is written for it.
  if (!fit(changes, 1)) return 'too-large';
  const all = { ...state, announced: said.version };
  const attributes = await storeLargeParts(table, process, attributesOf(all), all);
  const { ExpressionAttributeValues, ...update } = stateUpdate(attributes);
  const isFirst = announced === 0;
  const isLast = isFirst ? NONE_ANNOUNCED : IS_LAST_ANNOUNCED;
  return transact(table, [
    {
      Update: {
        TableName: table.tableName,
        Key: stateKey(process),
        ...update,
        ConditionExpression: isSilent ? `${isLast} AND ${NOT_BASELINED}` : isLast,
        ExpressionAttributeValues: {
          ...ExpressionAttributeValues,
          ...(!isFirst && { ':before': { N: String(announced) } }),
        },
      },
    },
    ...changes,
  ]);
}
