import { describe, expect, it } from 'vitest';
import { IS_ABSENT } from '../../../functions/store/dynamo/conditions.ts';
import { transact, type Write, write } from '../../../functions/store/dynamo/requests.ts';
import { usersKey } from '../../../functions/store/keys.ts';
import { openModel } from '../../kit/table.ts';

describe('a transaction', () => {
  it('of nothing but a check tells whether that holds', async () => {
    const table = openModel();
    const Key = usersKey({ workspace: 'eu', processId: 'p' });
    const check: Write = { ConditionCheck: { Key, ConditionExpression: IS_ABSENT } };
    expect(await transact(table, [check])).toBe('committed');
    await write(table, { Put: { Item: Key } });
    expect(await transact(table, [check])).toBe('conflict');
  });
});
