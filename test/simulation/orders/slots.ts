import { Violation } from '../oracle/violation.ts';
import { BEGIN, type MeetingWorld } from './meeting.ts';

const INTERVAL_MS = 1_000;

/** Deliverers that book moments for the messages of one chat, `booked` ms after the beginning; undefined: none is booked yet. */
export function slotWorlds(storage: MeetingWorld['storage']): MeetingWorld[] {
  return [undefined, 0, 5_000].flatMap(booked => [
    deliverersThatBook(storage, [0, 0], booked),
    deliverersThatBook(storage, [0, 300, 0], booked),
  ]);
}

/** A small world: deliverers whose clocks are ahead by these times, in ms. No two get moments within an interval. */
export function deliverersThatBook(
  storage: MeetingWorld['storage'],
  aheads: readonly number[],
  booked?: number,
): MeetingWorld {
  const name = `slots of a chat: ${aheads.length} deliverers, ${booked ?? 'none'} booked, ${storage}`;
  const meeting: MeetingWorld['meeting'] = () => {
    const moments: number[] = [];
    return {
      parties: aheads.map(ahead => ({
        ...{ name: 'deliverer', ahead },
        run: async ({ ports: { slots }, clock }) => {
          const wait = await slots.reserveSlot('chat', INTERVAL_MS, clock(), Number.POSITIVE_INFINITY);
          if (wait === undefined || wait < 0) throw new Violation(12, `a deliverer waits ${wait} ms`);
          moments.push(clock() + wait);
        },
      })),
      prepare: async ({ ports: { slots } }) => {
        if (booked === undefined) return;
        moments.push(BEGIN + booked);
        await slots.reserveSlot('chat', INTERVAL_MS, BEGIN + booked, 0);
      },
      check: () => {
        const sorted = moments.toSorted((one, other) => one - other);
        if (sorted.some((moment, index) => moment - (sorted[index - 1] ?? 0) < INTERVAL_MS))
          throw new Violation(
            12,
            `moments of one chat are too close: ${moments.map(moment => moment - BEGIN)}`,
          );
      },
      state: () => moments,
    };
  };
  return { name, storage, meeting, hasFault: true };
}
