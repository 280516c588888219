import { DeleteItemCommand, PutItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSnapshots } from '../../../functions/store/dynamo/store.ts';
import { conditionalWrite } from '../../../functions/store/dynamo/table.ts';
import { CHANGE, partition, partKey, projectKey } from '../../../functions/store/keys.ts';
import { AT, content, event, noise, snapshot } from '../../kit/store/subject.ts';
import { type OpenTable, TABLES } from '../../kit/store/tables.ts';

describe.each(TABLES)('%s', (_name, open) => {
  let table: OpenTable;
  let now = Date.now();
  const _clock = () => ++now;
  beforeAll(async () => {
    table = await open();
  });
  afterAll(() => table?.stop());

  const query = async (processId: string, prefix: string) => {
    const { Items = [] } = await table.client.send(
      new QueryCommand({
        TableName: table.tableName,
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
        ExpressionAttributeValues: {
          ':pk': { S: partition({ workspace: 'eu', processId }) },
          ':prefix': { S: prefix },
        },
        ConsistentRead: true,
      }),
    );
    return Items;
  };

  describe('the table', () => {
    const process = { workspace: 'eu', processId: 'items' };
    const big = snapshot(AT, content({ text: noise(900_000) }));
    const commitBig = () =>
      createSnapshots(table).commit(process, {
        projectId: 'p1',
        expected: undefined,
        snapshot: big,
        version: AT,
        events: [event(AT)],
        at: AT,
      });

    it('keeps change records for 30 days, by the time of their commit', async () => {
      await commitBig();
      const [record] = await query('items', CHANGE);
      expect(record?.sk?.S).toBe(`CHANGE#${AT}#p1#${AT}`);
      expect(record?.expiresAt?.N).toBe(String(AT / 1000 + 30 * 24 * 60 * 60));
    });

    it('leaves no part of a project behind when it shrinks', async () => {
      const snapshots = createSnapshots(table);
      const expected = await snapshots.load(process, 'p1');
      expect((await query('items', 'PROJECT#p1#PART#')).length).toBeGreaterThan(0);
      const next = snapshot(AT + 1, content({}));
      await snapshots.commit(process, {
        projectId: 'p1',
        expected,
        snapshot: next,
        version: AT + 1,
        events: [],
        at: AT,
      });
      expect(await query('items', 'PROJECT#p1#PART#')).toEqual([]);
    });

    it('says what to do about a snapshot whose parts are not of its version', async () => {
      const other = { workspace: 'eu', processId: 'torn' };
      const snapshots = createSnapshots(table);
      const version = AT;
      await snapshots.commit(other, {
        projectId: 'p1',
        expected: undefined,
        snapshot: big,
        version,
        events: [],
        at: AT,
      });
      const stale = { ...partKey(other, 'p1', 1), version: { N: '1' }, blob: { B: new Uint8Array([1]) } };
      await table.client.send(new PutItemCommand({ TableName: table.tableName, Item: stale }));
      const loading = snapshots.load(other, 'p1');
      await expect(loading).rejects.toThrow(/snapshot of project p1 .* not whole.*Delete its items/s);
      await expect(loading).rejects.toMatchObject({ scope: 'project' });
      const Key = projectKey(other, 'p1');
      await table.client.send(new DeleteItemCommand({ TableName: table.tableName, Key }));
      expect(await snapshots.load(other, 'p1')).toBeUndefined();
    });

    it('takes only a failed condition for "somebody else was first": every other failure is thrown', async () => {
      const Key = projectKey(process, 'x');
      const wrong = () => table.client.send(new DeleteItemCommand({ TableName: 'nowhere', Key }));
      await expect(conditionalWrite(table, wrong)).rejects.toThrow(/nowhere|not exist|not found/i);
    });
  });
});
