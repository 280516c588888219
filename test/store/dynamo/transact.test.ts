import { PutItemCommand, type TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { IS_ABSENT } from '../../../functions/store/dynamo/conditions.ts';
import { transact } from '../../../functions/store/dynamo/requests.ts';
import { usersKey } from '../../../functions/store/keys.ts';
import { openModel } from '../../kit/table.ts';

describe('a transaction', () => {
  it('of nothing but a check tells whether that holds', async () => {
    const table = openModel();
    const TableName = table.tableName;
    const Key = usersKey({ workspace: 'eu', processId: 'p' });
    const check: TransactWriteItem = { ConditionCheck: { TableName, Key, ConditionExpression: IS_ABSENT } };
    expect(await transact(table, [check])).toBe('committed');
    await table.client.send(new PutItemCommand({ TableName, Item: Key }));
    expect(await transact(table, [check])).toBe('conflict');
  });
});
