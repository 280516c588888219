import { DatabaseSync } from 'node:sqlite';
import { GetItemCommand, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  checkLayout,
  LayoutError,
  MIN_READ_LAYOUT,
  TABLE_LAYOUT,
} from '../../functions/store/dynamo/layout.ts';
import { LAYOUT } from '../../functions/store/sqlite/database.ts';
import { openSqliteStore } from '../../functions/store/sqlite/store.ts';
import { TABLES } from '../kit/store/tables.ts';
import { openModel } from '../kit/table.ts';
import { temporaryDirectory } from '../kit/temporary.ts';
import { modelClient } from '../simulation/models/table.ts';

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
    const { model, ...table } = openModel();
    const client = modelClient(async command => {
      if (command instanceof ScanCommand)
        model.run(new PutItemCommand({ TableName: table.tableName, Item: of(TABLE_LAYOUT) }));
      return model.run(command);
    });
    await checkLayout({ ...table, client });
    expect([...model.items()]).toEqual([of(TABLE_LAYOUT)]);
  });

  it.each([
    [TABLE_LAYOUT, true],
    [TABLE_LAYOUT + 1, false],
  ])('%d that somebody else writes meanwhile is taken: %s', async (version, isTaken) => {
    const { model, ...table } = openModel();
    const client = modelClient(async command => {
      if (command instanceof PutItemCommand)
        model.run(new PutItemCommand({ TableName: table.tableName, Item: of(version) }));
      return model.run(command);
    });
    const check = checkLayout({ ...table, client });
    await (isTaken ? expect(check).resolves.toBeUndefined() : expect(check).rejects.toThrow(LayoutError));
    expect([...model.items()]).toEqual([of(version)]);
  });
});

interface Store {
  /** As a program of another layout would. */
  write(): Promise<unknown>;
  /** What this version does before all else. */
  open(): Promise<unknown>;
  /** The layout that is written down, if any. */
  layout(): Promise<number | undefined>;
}

const STORES: [string, () => Promise<Store>][] = [
  ...TABLES.map(([name, make]): [string, () => Promise<Store>] => [
    name,
    async () => {
      const table = await make();
      onTestFinished(table.stop);
      const { client, tableName: TableName } = table;
      return {
        write: () =>
          client.send(new PutItemCommand({ TableName, Item: { pk: { S: 'theirs' }, sk: { S: 'STATE' } } })),
        open: () => checkLayout(table, { until: Number.POSITIVE_INFINITY }),
        layout: async () => {
          const { Item } = await client.send(
            new GetItemCommand({ TableName, Key: KEY, ConsistentRead: true }),
          );
          return Item && Number(Item.version?.N);
        },
      };
    },
  ]),
  [
    'the file of one machine',
    async () => {
      const path = `${temporaryDirectory()}/store.sqlite`;
      const inFile = <Result>(work: (file: DatabaseSync) => Result): Result => {
        const file = new DatabaseSync(path);
        try {
          return work(file);
        } finally {
          file.close();
        }
      };
      return {
        write: async () => inFile(file => file.exec('CREATE TABLE snapshot (id TEXT)')),
        open: async () => openSqliteStore(path).close(),
        layout: async () =>
          inFile(file => Number(file.prepare('PRAGMA user_version').get()?.user_version) || undefined),
      };
    },
  ],
];

describe.each(STORES)('%s', (_, make) => {
  it('gets the layout of this version when it is empty', async () => {
    const { open, layout } = await make();
    await open();
    await open();
    expect([TABLE_LAYOUT, LAYOUT]).toContain(await layout());
  });

  it('is refused in one line that says what to do, and left as it is, when it has data and no layout', async () => {
    const { write, open, layout } = await make();
    await write();
    await expect(open()).rejects.toThrow(/^(The table changewire|.*store\.sqlite) .*(Deploy|Choose).*$/);
    expect(await layout()).toBeUndefined();
  });
});
