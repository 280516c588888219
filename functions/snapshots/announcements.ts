import { TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { changePuts } from './change-items.ts';
import { IS_LAST_ANNOUNCED, NONE_ANNOUNCED } from './conditions.ts';
import { stateKey } from './keys.ts';
import type { Announcement, ProcessKey } from './snapshots.ts';
import { stateUpdate } from './state-item.ts';
import { holds, type Table } from './table.ts';

/** State and change record in one transaction: what is told and that it was told can't part, whatever crashes. */
export function announce(
  table: Table,
  process: ProcessKey,
  { announced, state, said }: Announcement,
): Promise<boolean> {
  const { ExpressionAttributeValues, ...update } = stateUpdate({ ...state, announced: said.version });
  const isFirst = announced === 0;
  return holds(table, () =>
    table.client.send(
      new TransactWriteItemsCommand({
        TransactItems: [
          {
            Update: {
              TableName: table.tableName,
              Key: stateKey(process),
              ...update,
              ConditionExpression: isFirst ? NONE_ANNOUNCED : IS_LAST_ANNOUNCED,
              ExpressionAttributeValues: {
                ...ExpressionAttributeValues,
                ...(!isFirst && { ':before': { N: String(announced) } }),
              },
            },
          },
          ...changePuts(table, process, '', said),
        ],
      }),
    ),
  );
}
