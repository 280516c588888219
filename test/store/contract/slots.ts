import { describe, expect, it } from 'vitest';
import type { Slots } from '../../../functions/store/store.ts';

const AT = Date.UTC(2026, 10, 21, 12);

/** What every store of slots must do. */
export function slotsContract(create: () => Slots): void {
  describe('slots', () => {
    it('book one moment after the other, and none in the past', async () => {
      const slots = create();
      const name = 'booked';
      const book = (at: number, of = name) => slots.reserveSlot(of, 1000, at, Number.POSITIVE_INFINITY);
      expect(await book(AT)).toBe(0);
      expect(await book(AT)).toBe(1000);
      expect(await book(AT + 500)).toBe(1500);
      expect(await book(AT, 'another')).toBe(0);
      expect(await book(AT + 3000)).toBe(0);
      expect(await book(AT + 9000)).toBe(0);
    });

    it('book nothing that is further away than asked for', async () => {
      const slots = create();
      for (const [within, slot] of [
        [-1, undefined],
        [0, 0],
        [0, undefined],
        [999, undefined],
        [1000, 1000],
        [1999, undefined],
        [2000, 2000],
      ] as const)
        expect(await slots.reserveSlot('near', 1000, AT, within)).toBe(slot);
      expect(await slots.reserveSlot('near', 1000, AT + 3000, 0)).toBe(0);
    });

    it('begin again at the present where they lie ahead by more than any run waits: a clock was set back', async () => {
      const slots = create();
      const ahead = 15 * 60_000;
      expect(await slots.reserveSlot('set', 1000, AT, Number.POSITIVE_INFINITY)).toBe(0);
      expect(await slots.reserveSlot('set', 1000, AT - ahead + 1000, Number.POSITIVE_INFINITY)).toBe(ahead);
      expect(await slots.reserveSlot('set', 1000, AT - ahead + 1000, Number.POSITIVE_INFINITY)).toBe(0);
      expect(await slots.reserveSlot('set', 1000, AT - ahead + 1000, Number.POSITIVE_INFINITY)).toBe(1000);
    });
  });
}
