import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EndpointStates } from '../../functions/snapshots/endpoint-states.ts';

const AT = Date.UTC(2026, 10, 21, 12);

/** What every kind of endpoint states must do. */
export function endpointStatesContract(create: () => EndpointStates): void {
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
