import { DeleteItemCommand } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEndpointStates, type EndpointStates } from '../../functions/snapshots/endpoint-states.ts';
import { endpointKey } from '../../functions/snapshots/keys.ts';
import { memoryStates } from '../deliver/given.ts';
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

/** What every kind of endpoint states must do. */
function endpointStatesContract(create: () => EndpointStates): void {
  describe('endpoint states', () => {
    it('know an endpoint as served until it is stopped; the first reason stays', async () => {
      const states = create();
      expect(await states.isStopped('crm')).toBeUndefined();
      expect(await states.stop('crm', 'answered 410', AT)).toBe(true);
      expect(await states.stop('crm', 'answered 410 again', AT + 1)).toBe(false);
      expect(await states.isStopped('crm')).toEqual({ reason: 'answered 410', at: AT });
      expect(await states.isStopped('other')).toBeUndefined();
    });

    it('book one moment after the other, and none in the past', async () => {
      const states = create();
      const name = 'booked';
      expect(await states.reserveSlot(name, 1000, AT)).toBe(0);
      expect(await states.reserveSlot(name, 1000, AT)).toBe(1000);
      expect(await states.reserveSlot(name, 1000, AT + 500)).toBe(1500);
      expect(await states.reserveSlot('another', 1000, AT)).toBe(0);
      expect(await states.reserveSlot(name, 1000, AT + 3000)).toBe(0);
      expect(await states.reserveSlot(name, 1000, AT + 9000)).toBe(0);
    });

    it('never book two moments within an interval, however many ask at once', async () => {
      let round = 0;
      const ask = fc.array(fc.nat({ max: 3000 }), { minLength: 2, maxLength: 12 });
      await fc.assert(
        fc.asyncProperty(ask, async offsets => {
          const states = create();
          const name = `together-${round++}`;
          const slots = await Promise.all(
            offsets.map(async offset => AT + offset + (await states.reserveSlot(name, 1000, AT + offset))),
          );
          const sorted = slots.toSorted((left, right) => left - right);
          for (const [index, slot] of sorted.slice(1).entries()) {
            expect(slot - (sorted[index] ?? 0)).toBeGreaterThanOrEqual(1000);
          }
          for (const [index, slot] of slots.entries())
            expect(slot).toBeGreaterThanOrEqual(AT + (offsets[index] ?? 0));
        }),
        { numRuns: 15 },
      );
    });
  });
}
