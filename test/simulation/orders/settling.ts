import { eraseProject } from '../../../functions/operations/erase.ts';
import { eraseAll } from '../../../functions/operations/walk-erase.ts';
import { waitingOnes } from '../../kit/delivery/setting.ts';
import { Violation } from '../oracle/violation.ts';
import type { Storage } from '../storage/storage.ts';
import { BEGIN, type Meeting, type MeetingWorld, type Party, type Place, type Reaching } from './meeting.ts';
import { operationsOf } from './operating.ts';

/** What a party does with the rows that it finds due. `sends`: its endpoint takes them; `gives up`: it refuses them for good; `fails`: they
 *  must be sent again; `cleans up`: they are too old; `consumes`: it leases them, and acknowledges them. `resends`: it makes dead letters
 *  pending again. `erases`: it erases their project. `time`: that after which leases end passes at once. */
type Role = 'sends' | 'gives up' | 'fails' | 'cleans up' | 'consumes' | 'resends' | 'erases' | 'time';
type Kept = 'waits' | 'is dead' | 'is gone';

const NAME = 'crm';
const ROWS = 2;
const LEASE_MS = 30_000;
const REFUSED = { at: BEGIN, reason: 'refused' };
const MAY_REMOVE: readonly (Role | undefined)[] = ['sends', 'consumes', 'erases'];
/** What was dead is pending again, or gone. */
const MAY_REVIVE: readonly (Role | undefined)[] = ['resends', 'erases'];
const PROCESS = { workspace: 'eu', processId: 'on boarding' };
/** A delivery of another project. */
const OTHER = waitingOnes(1).map(row => ({
  ...row,
  ...{ eventId: 'other', at: row.at - 1, body: row.body.replace('"id":"p.1"', '"id":"p.2"') },
}));

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
      ['erases', 'gives up'],
      ['erases', 'cleans up'],
      ['erases', 'fails'],
      ['erases', 'consumes'],
      ['erases', 'resends'],
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
    prepare: async ({ ports: { deliveries, rows } }) => {
      const due = BEGIN - 1_000;
      await deliveries.add(waitingOnes(ROWS, { due }));
      if (roles.includes('erases')) await rows.change(NAME, () => ({ name: NAME, health: {} }));
      const [first] = roles.includes('resends') ? await deliveries.due(NAME, BEGIN, 1) : [];
      if (first) await deliveries.deadLetter(NAME, first.place, { ...REFUSED, at: BEGIN - 1 });
      if (roles.includes('erases')) await deliveries.add(OTHER.map(row => ({ ...row, due })));
    },
    check: by => {
      if (roles.includes('erases')) checkOther(place, known, by);
      for (const { eventId, at } of waitingOnes(ROWS)) {
        const is = keptOf(place.storage, at);
        const was = known.get(eventId);
        known.set(eventId, is);
        if (was === undefined || was === is) continue;
        if (was === 'is gone' || (was === 'is dead' && !MAY_REVIVE.includes(by?.name as Role)))
          throw new Violation(11, `a delivery that ${was} ${is} after a call of ${by?.name}`);
        if (is === 'is gone' && !MAY_REMOVE.includes(by?.name as Role))
          throw new Violation(11, `${by?.name} removed a delivery that nobody has`);
      }
    },
    checkEnd: (_, struck) => {
      const left = [...known].find(([id, is]) => id !== 'other' && is !== 'is gone');
      if (roles.includes('erases') && struck.size === 0 && left)
        throw new Violation(11, `${left[0]} ${left[1]}, though its project was erased`);
      const gone = [...known].filter(([, is]) => is === 'is gone');
      const unasked = gone.find(([id]) => !removed.has(id));
      if (unasked && struck.size === 0 && !roles.includes('erases'))
        throw new Violation(11, `${unasked[0]} is gone, but nobody was answered so`);
    },
    state: () => [...known.values(), ...removed],
  };
}

/** Erasing leaves the delivery of another project. */
function checkOther({ storage }: Place, known: Map<string, Kept>, by: Party | undefined): void {
  const is = keptOf(storage, OTHER[0]?.at ?? 0);
  if (by?.name === 'erases' && is !== (known.get('other') ?? is))
    throw new Violation(11, 'a delivery of another project is erased');
  known.set('other', is);
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
    case 'erases': {
      const more = {
        processes: async () => [PROCESS],
        snapshots: { withSnapshot: async () => new Set(['p.1']), tombstone: async () => undefined },
        journal: { async *search() {} },
      };
      const context = operationsOf(reaching, { id: 'A', texts: new Map(), more });
      return void (await eraseAll(async asked => (await eraseProject(context, asked)).answer, {
        operation: 'erase',
        project: 'p.1',
      }));
    }
    case 'cleans up':
      return void (await deliveries.deadLetterBefore(NAME, clock(), REFUSED));
    case 'resends':
      return void (await deliveries.requeue(NAME, clock()));
    case 'consumes': {
      const lease = { token, now: clock(), until: clock() + LEASE_MS, limit: ROWS, bytes: 100_000 };
      const leased = await deliveries.lease(NAME, lease);
      checkOrder(place.storage, new Set(leased.map(({ eventId }) => eventId)));
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

/** All rows are of one project: nobody has a later one while an earlier one waits or is another's. */
function checkOrder(storage: Storage, leased: ReadonlySet<string>): void {
  const waits = waitingOnes(ROWS).filter(row => keptOf(storage, row.at) === 'waits');
  const last = waits.findLastIndex(({ eventId }) => leased.has(eventId));
  const passed = waits.slice(0, last + 1).find(({ eventId }) => !leased.has(eventId));
  if (passed) throw new Violation(11, `an event is consumed before ${passed.eventId}, which waits`);
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
