import { PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import {
  checkLayout,
  LayoutError,
  MIN_READ_LAYOUT,
  TABLE_LAYOUT,
} from '../../functions/store/dynamo/layout.ts';
import { openModel } from '../kit/table.ts';

const KEY = { pk: { S: 'LAYOUT' }, sk: { S: 'LAYOUT' } };
const of = (version: number | string) => ({ ...KEY, version: { N: String(version) } });

describe('the table’s layout', () => {
  it('is written into a table that has none, once', async () => {
    const table = openModel();
    await checkLayout(table);
    await checkLayout(table);
    expect([...table.model.items()]).toEqual([of(TABLE_LAYOUT)]);
    expect(table.model.stream).toHaveLength(1);
  });

  it.each([
    ['a later version’s', { N: String(TABLE_LAYOUT + 1) }, `layout ${TABLE_LAYOUT + 1}`],
    ['an earlier version’s', { N: String(MIN_READ_LAYOUT - 1) }, `layout ${MIN_READ_LAYOUT - 1}`],
    ['no number', { S: 'x' }, 'layout without a number'],
    ['missing in its row', undefined, 'layout without a number'],
  ])('that is %s is refused with what to do, and left as it is', async (_, version, told) => {
    const table = openModel();
    const item = { ...KEY, ...(version && { version }) };
    await table.client.send(new PutItemCommand({ TableName: table.tableName, Item: item }));
    const check = checkLayout(table);
    await expect(check).rejects.toThrow(LayoutError);
    await expect(check).rejects.toThrow(
      `The table changewire has ${told}, but this version reads only layout ${TABLE_LAYOUT}. The table is unchanged. ` +
        'Deploy the version that wrote it, or a stack with a new table: the first pass is then a new baseline.',
    );
    expect([...table.model.items()]).toEqual([item]);
  });

  it('is taken when code of this version began with the table between the two readings of it', async () => {
    const { model, ...table } = openModel(command => {
      if (command instanceof ScanCommand)
        model.run(new PutItemCommand({ TableName: table.tableName, Item: of(TABLE_LAYOUT) }));
    });
    await checkLayout(table);
    expect([...model.items()]).toEqual([of(TABLE_LAYOUT)]);
  });

  it.each([
    [TABLE_LAYOUT, true],
    [TABLE_LAYOUT + 1, false],
  ])('%d that somebody else writes meanwhile is taken: %s', async (version, isTaken) => {
    const { model, ...table } = openModel(command => {
      if (command instanceof PutItemCommand)
        model.run(new PutItemCommand({ TableName: table.tableName, Item: of(version) }));
    });
    const check = checkLayout(table);
    await (isTaken ? expect(check).resolves.toBeUndefined() : expect(check).rejects.toThrow(LayoutError));
    expect([...model.items()]).toEqual([of(version)]);
  });
});
