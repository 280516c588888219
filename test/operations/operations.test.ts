import { afterAll, beforeAll, describe } from 'vitest';
import { type StartedTable, startTable, usesModel } from '../support/table.ts';
import { operationsContract } from './contract.ts';
import { STORES, storesOf } from './house.ts';
import { openSetting } from './setting.ts';

for (const [name, open] of STORES) operationsContract(`over ${name}`, () => openSetting(open));

if (!usesModel)
  describe('with a table', () => {
    let table: StartedTable;
    beforeAll(async () => {
      table = await startTable();
    });
    afterAll(() => table.stop());
    operationsContract('over the embedded DynamoDB', () =>
      openSetting(() => ({ ...storesOf(table), close: () => undefined })),
    );
  });
