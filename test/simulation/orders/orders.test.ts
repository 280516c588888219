import { describe, expect, it } from 'vitest';
import { operatorsOfName } from './adding.ts';
import { DepthFirst } from './depth-first.ts';
import type { EndpointWorld } from './endpoint-side.ts';
import { erasuresOfRecord } from './erasing.ts';
import type { MeetingWorld } from './meeting.ts';
import { publishersThatMeet } from './publishing.ts';
import { endpointThatIsReplaced } from './replacing.ts';
import { operatorsOfSecret } from './secrets.ts';
import { partiesThatSettle } from './settling.ts';
import { runsThatShare } from './shares.ts';
import { deliverersThatBook } from './slots.ts';
import {
  changedMachine,
  type Enumerated,
  machine,
  partiesThatMeet,
  passesThatMeet,
  worldOf,
} from './small-worlds.ts';
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
const REPLAY = { storage: 'sqlite', job: 'replay', rows: 0 } as const;

/** Each takes about a second; small-worlds.long.test.ts has some more, and `npm run simulate -- --all` all. */
describe('small worlds', () => {
  const holds = async (world: Enumerated, least = 20) => {
    const { made, known } = await world.run(() => {});
    expect(made).toBe(known);
    expect(made).toBeGreaterThan(least);
  };

  it.each<[string, EndpointWorld]>([
    ['accepts while a backlog is sent', { storage: 'dynamodb', parties: ['deliver', 'drain'] }],
    ['fails twice', { storage: 'dynamodb', parties: ['refused', 'slowed'], switches: 2 }],
    ['is drained by one run after another', { ...TWO_DRAINS, storage: 'dynamodb', switches: 1 }],
    ['is paused', { storage: 'dynamodb', parties: ['refused', 'pause'] }],
    ['is removed', { storage: 'sqlite', parties: ['refused', 'remove'] }],
    ['is updated twice', { storage: 'dynamodb', parties: ['update', 'update log'], rows: 0 }],
    ['gets a replay that is cancelled', { ...REPLAY, parties: ['tick', 'cancel replay'] }],
  ])(
    'invariant 11: lose no delivery or setting of an endpoint that %s, in any order of the calls',
    (_, world) => holds(partiesThatMeet(world)),
  );

  it('invariant 11: lose and double no event of one machine whose call is killed', () =>
    holds(machine('killed after', 20), 10));

  it.each([
    ['a failure in a reload', 10],
    ['a reload whose secret can not be read', 30],
    ['a removal by a command', 30],
  ] as const)('invariant 11: lose and double no event of one machine at %s', (change, step) =>
    holds(changedMachine(change, step), 3),
  );

  it.each([
    ['the function that publishes', publishersThatMeet('dynamodb', ['run'])],
    ['one machine', publishersThatMeet('sqlite', ['feed'])],
  ])('invariant 1: publish each record at least once, in order, at whichever call %s fails', (_, world) =>
    holds(worldOf(world), 10),
  );

  it('invariant 9: leave no release for the next hold, whenever an operator releases one', () => {
    const begins = { edit: 'create again', begins: 'on hold', isEarly: true } as const;
    return holds(passesThatMeet({ storage: 'sqlite', modes: ['sweep'], ...begins, hasFault: false }), 10);
  });

  it.each<[string, MeetingWorld]>([
    ['invariant 6: start each pass once, by the first of two ticks', ticksThatMeet('dynamodb', [0, 0], true)],
    ['invariant 6: start each pass once, on one machine', ticksThatMeet('sqlite', [0, 4_000], false)],
    ['invariant 12: share what a workspace allows', runsThatShare('sqlite', ['changes', 'sweep', 'time'])],
    ['invariant 12: book moments that are apart', deliverersThatBook('dynamodb', [0, 300, 0], 0)],
    ['invariant 12: book moments that are apart, on one machine', deliverersThatBook('sqlite', [0, 300, 0])],
    [
      'invariant 11: leave no delivery of an erased project',
      partiesThatSettle('sqlite', ['erases', 'resends']),
    ],
    ['invariant 11: bring back nothing that is erased', erasuresOfRecord('dynamodb')],
    [
      'invariant 11: leave a later endpoint of the name as it is',
      endpointThatIsReplaced('sqlite', 'queues', false),
    ],
    [
      'invariant 11: lose no secret that was answered',
      operatorsOfSecret('sqlite', true, ['rotates', 'finishes']),
    ],
    ['invariant 11: keep the address of an endpoint', operatorsOfName('sqlite', ['adds', 'adds'])],
  ])('%s, in any order of the calls', (_, world) => holds(worldOf(world)));
});
