import { describe, expect, it } from 'vitest';
import type { EndpointWorld } from './endpoint-side.ts';
import type { Change } from './machine-changes.ts';
import type { MeetingWorld } from './meeting.ts';
import { publishersThatMeet } from './publishing.ts';
import { endpointThatIsReplaced } from './replacing.ts';
import { partiesThatReport } from './reporting.ts';
import { partiesThatSettle } from './settling.ts';
import { runsThatShare } from './shares.ts';
import {
  changedMachine,
  type Enumerated,
  machine,
  partiesThatMeet,
  passesThatMeet,
  worldOf,
} from './small-worlds.ts';
import { ticksThatMeet } from './ticks.ts';

const OUTLIVED = { parties: ['drain', 'drain', 'late'] } as const;
const BACK = { parties: ['deliver', 'drain'], rows: 2, isFailing: true } as const;
const PROBED = { parties: ['refused', 'drain'], answers: ['refused'], isFailing: true } as const;
const SLOWED = { parties: ['slowed', 'drain'], answers: ['refused'] } as const;

const TWO_REPLAYS = ['begin replay', 'begin replay', 'tick'] as const;
const REPLAY = { storage: 'sqlite', job: 'replay', rows: 0 } as const;
const SNAPSHOT = { storage: 'sqlite', job: 'snapshot', rows: 0 } as const;

describe('small worlds', () => {
  const holds = async (world: Enumerated, least = 20) => {
    const { made, known } = await world.run(() => {});
    expect(made).toBe(known);
    expect(made).toBeGreaterThan(least);
  };

  it('hold in every order of two passes of one mode and an edit', async () => {
    const small = { storage: 'dynamodb', modes: ['changes', 'changes'], edit: 'update project' } as const;
    const { made, known, orders } = await passesThatMeet({ ...small, hasFault: false }).run(() => {});
    expect(made).toBe(known);
    expect(orders).toBeGreaterThan(1_000n);
  });

  it.each<[string, EndpointWorld]>([
    [
      'fails at first while a backlog is sent',
      { storage: 'sqlite', parties: ['refused', 'drain'], switches: 2 },
    ],
    [
      'is slow, and drained twice',
      { storage: 'sqlite', parties: ['drain', 'drain'], rows: 2, takes: 15_000 },
    ],
    ['is drained by a run that outlives its time', { ...OUTLIVED, storage: 'sqlite', switches: 2 }],
    ['is back while a delivery joins', { ...BACK, storage: 'sqlite', switches: 2 }],
    ['fails its probe while a delivery joins', { ...PROBED, storage: 'sqlite', switches: 2 }],
    ['fails, and asks for a pause', { ...SLOWED, storage: 'sqlite', switches: 2 }],
    ['is paused while a backlog is sent', { storage: 'sqlite', parties: ['drain', 'pause'], rows: 3 }],
    ['is resumed', { storage: 'sqlite', parties: ['drain', 'resume'] }],
    ['gets a replay from two ticks', { ...REPLAY, parties: ['tick', 'tick'], switches: 2 }],
    ['gets one replay after another', { ...REPLAY, parties: ['tick', 'begin anew replay'] }],
    ['is paused while a replay begins', { ...REPLAY, parties: ['tick', 'pause'] }],
    ['is removed while a replay begins', { ...REPLAY, parties: ['tick', 'remove'] }],
    ['gets two replays at once', { storage: 'sqlite', parties: TWO_REPLAYS, switches: 2 }],
    ['gets a snapshot from two ticks', { ...SNAPSHOT, parties: ['tick', 'tick'], switches: 2 }],
    ['gets one snapshot after another', { ...SNAPSHOT, parties: ['tick', 'begin anew snapshot'] }],
    ['is updated', { storage: 'sqlite', parties: ['drain', 'update'], switches: 2 }],
    ['sees time pass', { storage: 'sqlite', parties: ['refused', 'drain', 'time'], switches: 1 }],
  ])('invariant 11: lose no delivery of an endpoint that %s, in any order of the calls', (_, world) =>
    holds(partiesThatMeet(world)),
  );

  it.each([
    ['fails', 'fails'],
    ['fails with all writes of the next seconds', 'fails for long'],
    ['fails before the clock is set back', 'fails, then an hour back'],
    ['stands still', 'blocked'],
    ['is followed by a reload', 'reloaded'],
    ['finds the clock set back', 'an hour back'],
    ['finds the clock set ahead', 'an hour ahead'],
  ] as const)('invariant 11: lose and double no event of one machine whose call %s', (_, mishap) =>
    holds(machine(mishap, 20), 10),
  );

  it.each([
    ...['a reload', 'a reload whose service can not be read', 'a restart without the webhook'],
    ...['a reload without the webhook', 'a pause by a command', 'a replay by a command'],
    'a resend of dead letters by a command',
  ] as const)('invariant 11: lose and double no event of one machine at %s', change =>
    holds(changedMachine(change as Change, 20), 5),
  );

  it.each([
    ['failures in a reload', 10],
    ['a kill in a reload', 10],
    ['a failure in a reload', 1],
  ] as const)('invariant 11: lose no event of one machine at %s', (change, step) =>
    holds(changedMachine(change, step), 5),
  );

  it('invariant 1: publish each change once or more, in order, by two runs', () =>
    holds(worldOf(publishersThatMeet('dynamodb', ['run', 'short run']))));

  it('invariant 9: leave no release for the next hold, whenever an operator releases one', () => {
    const begins = { edit: 'create again', begins: 'on hold', isEarly: true } as const;
    return holds(passesThatMeet({ storage: 'dynamodb', modes: ['sweep'], ...begins, hasFault: false }), 10);
  });

  it.each<[string, MeetingWorld]>([
    ['invariant 6: start each pass once, by one of two ticks', ticksThatMeet('dynamodb', [0, 4_000], false)],
    [
      'invariant 11: lose no dead letter that is sent again',
      partiesThatSettle('dynamodb', ['gives up', 'resends']),
    ],
    [
      'invariant 11: leave no delivery of a job to a later endpoint of the name',
      endpointThatIsReplaced('sqlite', 'replay', false),
    ],
    ['invariant 11: revive no delivery', partiesThatSettle('dynamodb', ['sends', 'gives up'])],
    [
      'invariant 11: lose no report',
      partiesThatReport('sqlite', ['reports', 'reports', 'recovers and dies']),
    ],
    ['invariant 12: keep a pause', runsThatShare('dynamodb', ['changes', 'failing'], false)],
  ])('%s, in any order of the calls', (_, world) => holds(worldOf(world)));
});
