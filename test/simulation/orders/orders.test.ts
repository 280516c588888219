import { describe, expect, it } from 'vitest';
import { DepthFirst } from './depth-first.ts';
import type { EndpointWorld } from './endpoint-side.ts';
import type { MeetingWorld } from './meeting.ts';
import { runsThatShare } from './shares.ts';
import { deliverersThatBook } from './slots.ts';
import { machine, partiesThatMeet, passesThatMeet, worldOf } from './small-worlds.ts';
import { ticksThatMeet } from './ticks.ts';

/** All orders of two threads of these lengths, as a state is what each has done. */
function walkAll(lengths: readonly number[]): { taken: string[]; orders: DepthFirst } {
  const orders = new DepthFirst();
  const taken: string[] = [];
  do {
    const left = [...lengths];
    let steps = '';
    for (;;) {
      const options = [...left.keys()].filter(thread => (left[thread] ?? 0) > 0);
      if (options.length === 0) {
        if (orders.endsNew(left.join())) taken.push(steps);
        break;
      }
      const chosen = orders.choose(options.length, () => left.join());
      if (chosen === undefined) break;
      const thread = options[chosen] as number;
      left[thread] = (left[thread] ?? 0) - 1;
      steps += 'ab'[thread];
    }
  } while (orders.next());
  return { taken, orders };
}

describe('the enumeration', () => {
  it('counts every order, and continues each state once', () => {
    const { orders, taken } = walkAll([10, 10]);
    expect(orders.orders).toBe(184_756n);
    expect(orders.states).toBe(11 * 11);
    expect(taken).toHaveLength(1);
    expect(orders.runs).toEqual([101, 101]);
  });

  it('refuses a run that does not repeat', () => {
    const orders = new DepthFirst();
    orders.choose(2, () => 'one');
    orders.next();
    expect(() => orders.choose(2, () => 'other')).toThrow('The same choices led to another state at step 0.');
  });
});

const TWO_DRAINS = { parties: ['drain', 'drain'], rows: 2 } as const;
const OUTLIVED = { parties: ['drain', 'drain', 'late'] } as const;
const BACK = { parties: ['deliver', 'drain'], rows: 2, isFailing: true } as const;
const PROBED = { parties: ['refused', 'drain'], answers: ['refused'], isFailing: true } as const;
const SLOWED = { parties: ['slowed', 'drain'], answers: ['refused'] } as const;

const TWO_REPLAYS = ['begin replay', 'begin replay', 'tick'] as const;
const REPLAY = { storage: 'sqlite', job: 'replay', rows: 0 } as const;
const SNAPSHOT = { storage: 'sqlite', job: 'snapshot', rows: 0 } as const;

describe('small worlds', () => {
  it('hold in every order of two passes of one mode and an edit', async () => {
    const small = { storage: 'dynamodb', modes: ['changes', 'changes'], edit: 'update project' } as const;
    const { made, known, orders } = await passesThatMeet({ ...small, hasFault: false }).run(() => {});
    expect(made).toBe(known);
    expect(orders).toBeGreaterThan(1_000n);
  }, 120_000);

  it.each<[string, EndpointWorld]>([
    [
      'fails at first while a backlog is sent',
      { storage: 'sqlite', parties: ['refused', 'drain'], switches: 2 },
    ],
    ['accepts while a backlog is sent', { storage: 'dynamodb', parties: ['deliver', 'drain'] }],
    ['fails twice', { storage: 'dynamodb', parties: ['refused', 'slowed'], switches: 2 }],
    ['is slow, and drained twice', { ...TWO_DRAINS, storage: 'sqlite', takes: 15_000 }],
    ['is drained by one run after another', { ...TWO_DRAINS, storage: 'dynamodb', switches: 1 }],
    ['is drained by a run that outlives its time', { ...OUTLIVED, storage: 'sqlite', switches: 2 }],
    ['is back while a delivery joins', { ...BACK, storage: 'sqlite', switches: 2 }],
    ['fails its probe while a delivery joins', { ...PROBED, storage: 'sqlite', switches: 2 }],
    ['fails, and asks for a pause', { ...SLOWED, storage: 'sqlite', switches: 2 }],
    ['is paused', { storage: 'dynamodb', parties: ['refused', 'pause'] }],
    ['is paused while a backlog is sent', { storage: 'sqlite', parties: ['drain', 'pause'], rows: 3 }],
    ['is resumed', { storage: 'sqlite', parties: ['drain', 'resume'] }],
    ['is removed', { storage: 'sqlite', parties: ['refused', 'remove'] }],
    ['gets a replay from two ticks', { ...REPLAY, parties: ['tick', 'tick'], switches: 2 }],
    ['gets a replay that is cancelled', { ...REPLAY, parties: ['tick', 'cancel replay'] }],
    ['gets one replay after another', { ...REPLAY, parties: ['tick', 'begin anew replay'] }],
    ['is paused while a replay begins', { ...REPLAY, parties: ['tick', 'pause'] }],
    ['is removed while a replay begins', { ...REPLAY, parties: ['tick', 'remove'] }],
    ['gets two replays at once', { storage: 'sqlite', parties: TWO_REPLAYS, switches: 2 }],
    ['gets a snapshot from two ticks', { ...SNAPSHOT, parties: ['tick', 'tick'], switches: 2 }],
    ['gets one snapshot after another', { ...SNAPSHOT, parties: ['tick', 'begin anew snapshot'] }],
    ['is updated', { storage: 'sqlite', parties: ['drain', 'update'], switches: 2 }],
    ['sees time pass', { storage: 'sqlite', parties: ['refused', 'drain', 'time'], switches: 1 }],
  ])(
    'invariant 11: lose no delivery of an endpoint that %s, in any order of the calls',
    async (_, world) => {
      const { made, known } = await partiesThatMeet(world).run(() => {});
      expect(made).toBe(known);
      expect(made).toBeGreaterThan(20);
    },
    120_000,
  );

  it.each([
    ['is killed', 'killed after'],
    ['fails', 'fails'],
    ['stands still', 'blocked'],
    ['is followed by a reload', 'reloaded'],
    ['finds the clock set back', 'an hour back'],
    ['finds the clock set ahead', 'an hour ahead'],
  ] as const)(
    'invariant 11: lose and double no event of one machine whose call %s',
    async (_, mishap) => {
      const { made } = await machine(mishap, 20).run(() => {});
      expect(made).toBeGreaterThan(10);
    },
    120_000,
  );

  it.each(['dynamodb', 'sqlite'] as const)(
    'invariant 9: leave no release for the next hold, whenever an operator releases one, in %s',
    async storage => {
      const begins = { edit: 'create again', begins: 'on hold', isEarly: true } as const;
      const { made, known } = await passesThatMeet({
        storage,
        modes: ['sweep'],
        ...begins,
        hasFault: false,
      }).run(() => {});
      expect(made).toBe(known);
      expect(made).toBeGreaterThan(10);
    },
    120_000,
  );

  it.each<[string, MeetingWorld]>([
    ['invariant 6: start each pass once, by the first of two ticks', ticksThatMeet('dynamodb', [0, 0], true)],
    ['invariant 6: start each pass once, by one of two ticks', ticksThatMeet('dynamodb', [0, 4_000], false)],
    ['invariant 6: start each pass once, on one machine', ticksThatMeet('sqlite', [0, 4_000], false)],
    ['invariant 12: share what a workspace allows', runsThatShare('sqlite', ['changes', 'sweep', 'time'])],
    ['invariant 12: keep a pause', runsThatShare('dynamodb', ['changes', 'failing'], false)],
    ['invariant 12: book moments that are apart', deliverersThatBook('dynamodb', [0, 300, 0], 0)],
    ['invariant 12: book moments that are apart, on one machine', deliverersThatBook('sqlite', [0, 300, 0])],
  ])('%s, in any order of the calls', async (_, world) => {
    const { made, known } = await worldOf(world).run(() => {});
    expect(made).toBe(known);
    expect(made).toBeGreaterThan(20);
  });
});
