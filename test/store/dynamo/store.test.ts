import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { LayoutError, TABLE_LAYOUT } from '../../../functions/store/dynamo/layout.ts';
import { getItem } from '../../../functions/store/dynamo/requests.ts';
import { openDynamoStore } from '../../../functions/store/dynamo/store.ts';
import { LAYOUT_KEY } from '../../../functions/store/keys.ts';
import { startModelServer } from '../../kit/dynamodb/model-server.ts';
import { TABLE_NAME, TABLE_TIMING } from '../../kit/table.ts';

describe('the table of a function', () => {
  let server: Awaited<ReturnType<typeof startModelServer>>;
  beforeEach(async () => {
    server = await startModelServer(TABLE_NAME);
    return server.stop;
  });
  const open = async () => {
    const { table } = await openDynamoStore(TABLE_NAME, { client: server.clientOptions, ...TABLE_TIMING });
    onTestFinished(() => table.client.destroy());
    return table;
  };

  it('is opened with its layout, by a client that hands no answer to a logger', async () => {
    const table = await open();
    expect(table).toMatchObject({ tableName: TABLE_NAME, timing: TABLE_TIMING });
    const layout = { ...LAYOUT_KEY, version: { N: String(TABLE_LAYOUT) } };
    expect(await getItem(table, LAYOUT_KEY)).toEqual(layout);
    const steps = table.client.middlewareStack.identify();
    expect(steps.filter(step => step.includes('loggerMiddleware'))).toEqual([]);
    expect(steps.filter(step => step.includes('retryMiddleware'))).toHaveLength(1);
  });

  it('is not opened where its layout is another version’s', async () => {
    const { client } = await open();
    const Item = { ...LAYOUT_KEY, version: { N: '1' } };
    await client.send(new PutItemCommand({ TableName: TABLE_NAME, Item }));
    await expect(open()).rejects.toThrow(LayoutError);
  });
});
