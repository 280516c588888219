import { waitingOnes } from '../../kit/delivery/setting.ts';
import { Violation } from '../oracle/violation.ts';
import type { Storage } from '../storage/storage.ts';
import { BEGIN, type Meeting, type MeetingWorld, type Party, type Place, type Reaching } from './meeting.ts';

/** What a party does with the rows that it finds due. `sends`: its endpoint takes them; `gives up`: it refuses them for good; `fails`: they
 *  must be sent again; `cleans up`: they are too old; `consumes`: it leases them, and acknowledges them. `resends`: it makes dead letters
 *  pending again. `time`: that after which leases end passes at once. */
type Role = 'sends' | 'gives up' | 'fails' | 'cleans up' | 'consumes' | 'resends' | 'time';
type Kept = 'waits' | 'is dead' | 'is gone';

const NAME = 'crm';
const ROWS = 2;
const LEASE_MS = 30_000;
const REFUSED = { at: BEGIN, reason: 'refused' };
const MAY_REMOVE: readonly (Role | undefined)[] = ['sends', 'consumes'];

/** Parties that settle the same deliveries. */
export function settlingWorlds(storage: MeetingWorld['storage']): MeetingWorld[] {
  return (
    [
      ['sends', 'gives up'],
      ['sends', 'cleans up'],
      ['sends', 'fails'],
      ['sends', 'consumes'],
      ['gives up', 'cleans up'],
      ['consumes', 'cleans up'],
      ['gives up', 'resends'],
      ['consumes', 'consumes', 'time'],
    ] as const
  ).map(roles => partiesThatSettle(storage, roles));
}

export function partiesThatSettle(
  storage: MeetingWorld['storage'],
  roles: readonly Role[],
  hasFault = !roles.includes('time'),
): MeetingWorld {
  const name = `rows of an endpoint: ${roles.join(' and ')}, ${storage}`;
  return { name, storage, hasFault, meeting: place => meetingOf(place, roles) };
}

/** A delivery is removed once it is sent or acknowledged, and then stays away; else it waits, or is a dead letter. */
function meetingOf(place: Place, roles: readonly Role[]): Meeting {
  const known = new Map<string, Kept>();
  const removed = new Set<string>();
  const parties = roles.map((role, index): Party => {
    return { name: role, run: reaching => settle(place, { reaching, role, token: `t${index}`, removed }) };
  });
  return {
    parties,
    prepare: async ({ ports: { deliveries } }) => {
      const due = BEGIN - 1_000;
      await deliveries.add(waitingOnes(ROWS, { due }));
      if (!roles.includes('resends')) return;
      const [first] = await deliveries.due(NAME, BEGIN, 1);
      if (first) await deliveries.deadLetter(NAME, first.place, { ...REFUSED, at: BEGIN - 1 });
    },
    check: by => {
      for (const { eventId, at } of waitingOnes(ROWS)) {
        const is = keptOf(place.storage, at);
        const was = known.get(eventId);
        known.set(eventId, is);
        if (was === undefined || was === is) continue;
        if (was === 'is gone' || (was === 'is dead' && by?.name !== 'resends'))
          throw new Violation(11, `a delivery that ${was} ${is} after a call of ${by?.name}`);
        if (is === 'is gone' && !MAY_REMOVE.includes(by?.name as Role))
          throw new Violation(11, `${by?.name} removed a delivery that nobody has`);
      }
    },
    checkEnd: (_, struck) => {
      const gone = [...known].filter(([, is]) => is === 'is gone');
      const unasked = gone.find(([id]) => !removed.has(id));
      if (unasked && struck.size === 0)
        throw new Violation(11, `${unasked[0]} is gone, but nobody was answered so`);
    },
    state: () => [...known.values(), ...removed],
  };
}

async function settle(
  place: Place,
  { reaching, role, token, removed }: { reaching: Reaching; role: Role; token: string; removed: Set<string> },
): Promise<void> {
  const { life, clock } = reaching;
  const { deliveries } = reaching.ports;
  switch (role) {
    case 'time':
      return life.call(
        'table.read',
        () => place.scheduler.freeze(LEASE_MS + 1),
        made => made(),
        'time passes',
      );
    case 'cleans up':
      return void (await deliveries.deadLetterBefore(NAME, clock(), REFUSED));
    case 'resends':
      return void (await deliveries.requeue(NAME, clock()));
    case 'consumes': {
      const lease = { token, now: clock(), until: clock() + LEASE_MS, limit: ROWS, bytes: 100_000 };
      const leased = await deliveries.lease(NAME, lease);
      const ended = await deliveries.endLease(NAME, {
        ...{ token, now: clock(), places: leased.map(({ place }) => place) },
      });
      for (const { eventId } of ended) removed.add(eventId);
      return;
    }
    default: {
      for (const { place: row, eventId } of await deliveries.due(NAME, clock(), ROWS)) {
        if (role === 'gives up') await deliveries.deadLetter(NAME, row, REFUSED);
        else if (role === 'fails') await deliveries.reschedule(NAME, row, { at: clock(), due: clock() + 1 });
        else {
          removed.add(eventId);
          await deliveries.remove(NAME, [row]);
        }
      }
    }
  }
}

/** What the rows say of the event that was published at `at`. */
function keptOf(storage: Storage, at: number): Kept {
  const rows = [...storage.items()].flatMap(({ pk, sk = {} }) =>
    pk?.S === `ENDPOINT#${NAME}` && sk.S?.includes(`#${at}#`) ? [sk.S] : [],
  );
  const [isPending, isDead] = ['PENDING#', 'DEAD#'].map(kind => rows.some(row => row.startsWith(kind)));
  if (isPending && isDead) throw new Violation(11, 'a delivery waits, and is a dead letter');
  return isDead ? 'is dead' : isPending ? 'waits' : 'is gone';
}
