import { afterAll, beforeAll, describe } from 'vitest';
import { STORES, storesOf } from '../kit/operations/context.ts';
import { openSetting } from '../kit/operations/setting.ts';
import { isReal, type StartedTable, startTable, usesModel } from '../kit/table.ts';
import { operationsContract } from './contract.ts';

for (const [name, open] of STORES) operationsContract(`over ${name}`, () => openSetting(open));

if (isReal && !usesModel)
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
