import { DeleteItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEndpointStates } from '../../functions/snapshots/endpoint-states.ts';
import { endpointKey } from '../../functions/snapshots/keys.ts';
import { memoryStates } from '../deliver/given.ts';
import { endpointStatesContract } from './endpoint-states-contract.ts';
import { type OpenTable, TABLES } from './tables.ts';

const AT = Date.UTC(2026, 10, 21, 12);

describe.each(TABLES)('in %s', (_, open) => {
  let table: OpenTable;
  beforeAll(async () => {
    table = await open();
  });
  afterAll(() => table?.stop());

  endpointStatesContract(() => createEndpointStates(table));

  describe('an endpoint’s item', () => {
    it('is what an operator deletes to have the endpoint served again', async () => {
      const states = createEndpointStates(table);
      await states.stop('back', 'answered 410', AT);
      expect(endpointKey('back')).toEqual({ pk: { S: 'ENDPOINT#back' }, sk: { S: 'STATE' } });
      await table.client.send(
        new DeleteItemCommand({ TableName: table.tableName, Key: endpointKey('back') }),
      );
      expect(await states.isStopped('back')).toBeUndefined();
      expect(await states.stop('back', 'answered 410', AT)).toBe(true);
    });

    it('that is deleted between the two writes of a booking is made anew', async () => {
      const states = createEndpointStates(table);
      await states.reserveSlot('torn', 1000, AT);
      let sent = 0;
      const send: typeof table.client.send = async (...given: unknown[]) => {
        if (++sent === 2)
          await table.client.send(
            new DeleteItemCommand({ TableName: table.tableName, Key: endpointKey('torn') }),
          );
        return (table.client.send as (...all: unknown[]) => Promise<never>)(...given);
      };
      const torn = createEndpointStates({ ...table, client: { send } as unknown as typeof table.client });
      expect(await torn.reserveSlot('torn', 1000, AT)).toBe(0);
      expect(sent).toBe(3);
    });
  });
});

describe('in memory, for tests', () => endpointStatesContract(memoryStates));
