import { addingWorlds } from './adding.ts';
import { DepthFirst } from './depth-first.ts';
import { meet } from './endpoint.ts';
import type { Job } from './endpoint-jobs.ts';
import type { EndpointParty } from './endpoint-process.ts';
import type { EndpointWorld } from './endpoint-side.ts';
import { MISHAPS, surviveEach } from './machine.ts';
import { CHANGES, type Change, changeAtEach } from './machine-changes.ts';
import type { Mishap } from './machine-side.ts';
import { type MeetingWorld, meetAtRows } from './meeting.ts';
import { type SmallWorld, walk } from './passes.ts';
import { publishingWorlds } from './publishing.ts';
import { replacingWorlds } from './replacing.ts';
import { reportingWorlds } from './reporting.ts';
import { secretWorlds } from './secrets.ts';
import { settlingWorlds } from './settling.ts';
import { shareWorlds } from './shares.ts';
import { slotWorlds } from './slots.ts';
import { tickWorlds } from './ticks.ts';

/** What was enumerated: the runs that were made, those that are known to be needed, and once these are equal the number of orders. */
export interface Progress {
  readonly made: number;
  readonly known: number;
  readonly orders?: bigint;
}

/** A small world, of which everything that can happen is enumerated. */
export interface Enumerated {
  readonly name: string;
  /** @throws the first order or fault under which an invariant does not hold */
  readonly run: (onProgress: (progress: Progress) => void) => Promise<Progress>;
}

const PAIRS: readonly SmallWorld['modes'][] = [
  ['changes', 'changes'],
  ['changes', 'sweep'],
  ['sweep', 'sweep'],
];
const EDITS = ['update project', 'update task', 'create project', 'delete task', 'delete project'] as const;

const WITH_RECHECK = { modes: ['changes', 'sweep'], begins: 'with a recheck' } as const;
/** Passes over a process whose deletions wait for an operator, or with a project that could not be read. */
const STATES: readonly Omit<SmallWorld, 'storage'>[] = [
  { modes: ['sweep'], edit: 'create again', begins: 'on hold' },
  { modes: ['sweep'], edit: 'create project', begins: 'on hold' },
  { modes: ['changes', 'sweep'], edit: 'create again', begins: 'on hold', isEarly: true },
  { ...WITH_RECHECK, edit: 'update project', isEarly: true, hasFault: true },
  // What the sweep reads differs from the snapshot before the other pass commits a later edit.
  { ...WITH_RECHECK, edit: 'update task', switches: 1 },
];

/** Parties of one endpoint, in every order. */
const PARTIES: readonly Omit<EndpointWorld, 'storage'>[] = [
  ...['refused drain', 'slowed drain', 'refused slowed', 'deliver drain', 'drain drain'].map(meetingOf),
  ...['drain resume', 'refused pause', 'refused remove', 'refused deliver'].map(meetingOf),
  { parties: ['drain', 'drain'], rows: 3, takes: 15_000 },
  { parties: ['drain', 'drain', 'late'] },
  { parties: ['drain', 'pause'], rows: 3 },
  { parties: ['drain', 'remove'], rows: 3 },
  { parties: ['drain', 'deliver'], answers: ['slowed'] },
  { parties: ['drain', 'refused'], answers: ['slowed'] },
  { parties: ['drain', 'deliver'], rows: 2, isFailing: true },
  { parties: ['drain', 'refused'], answers: ['refused'], isFailing: true },
  { parties: ['drain', 'resume'], rows: 2, isFailing: true },
  { parties: ['drain', 'update'], rows: 2 },
  { parties: ['update', 'update log'], rows: 0 },
  ...(['pause', 'update', 'remove', 'cancel replay', 'begin anew replay'] as const).map(other =>
    carriedOut('replay', other),
  ),
  ...(['cancel snapshot', 'begin anew snapshot'] as const).map(other => carriedOut('snapshot', other)),
  { parties: ['begin replay', 'begin replay'] },
  { parties: ['begin snapshot', 'begin snapshot'] },
];
/** The same in orders with few switches. */
const FEW: readonly Omit<EndpointWorld, 'storage'>[] = [
  ...['refused drain time', 'refused drain drain', 'refused drain resume'].map(meetingOf),
  { parties: ['drain', 'drain', 'late'], rows: 2 },
  { parties: ['drain', 'drain', 'pause'], rows: 2 },
  { parties: ['drain', 'slowed', 'time'], answers: ['refused'], rows: 2 },
  carriedOut('replay', 'tick'),
  carriedOut('snapshot', 'tick'),
  { parties: ['tick', 'drain'], job: 'replay' },
  { parties: ['tick', 'drain'], job: 'snapshot' },
];
const SWITCHES = 3;

function meetingOf(parties: string): Omit<EndpointWorld, 'storage'> {
  return { parties: parties.split(' ') as EndpointParty[] };
}

/** A job that is carried out at the moment in which a party reaches the endpoint. */
function carriedOut(job: Job, other: EndpointParty) {
  return { parties: ['tick', other], job, rows: 0 } as const;
}

/** All small worlds: one machine, parties of one endpoint, parties of one storage, and passes that meet. */
export function smallWorlds(storage: SmallWorld['storage']): readonly Enumerated[] {
  const passes = [false, true].flatMap(hasFault =>
    PAIRS.flatMap(modes =>
      EDITS.slice(0, hasFault ? 1 : undefined).map(edit =>
        passesThatMeet({ storage, modes, edit, hasFault }),
      ),
    ),
  );
  const states = STATES.map(each => passesThatMeet({ storage, ...each }));
  const endpoint = [
    ...PARTIES.map(world => ({ storage, ...world })),
    ...FEW.map(world => ({ storage, ...world, switches: SWITCHES })),
  ];
  const worlds = [
    tickWorlds,
    shareWorlds,
    slotWorlds,
    settlingWorlds,
    reportingWorlds,
    secretWorlds,
    addingWorlds,
    replacingWorlds,
    publishingWorlds,
  ];
  const meetings = worlds.flatMap(worldsOf => worldsOf(storage)).map(worldOf);
  return [
    ...MISHAPS.map(mishap => machine(mishap)),
    ...CHANGES.map(change => changedMachine(change)),
    ...endpoint.map(partiesThatMeet),
    ...meetings,
    ...states,
    ...passes,
  ];
}

export function worldOf(world: MeetingWorld): Enumerated {
  return { name: world.name, run: onProgress => enumerate(orders => meetAtRows(world, orders), onProgress) };
}

export function passesThatMeet(small: SmallWorld): Enumerated {
  const { storage, modes, edit, hasFault, begins } = small;
  return {
    name: `${begins ? `${begins}: ` : ''}${modes.join(' and ')}, ${edit}, ${hasFault ? 'one fault' : 'no fault'}, ${storage}`,
    run: onProgress => enumerate(orders => walk(small, orders), onProgress),
  };
}

export function partiesThatMeet(world: EndpointWorld): Enumerated {
  const { storage, parties, rows = 1, answers = [], takes, job, isFailing } = world;
  const endpoint = `endpoint${isFailing ? ' that fails' : ''}${takes ? ' that is slow' : ''}`;
  const waiting = [`${rows} rows`, ...answers, ...(job ? [`a ${job}`] : [])].join(', ');
  return {
    name: `${endpoint}: ${waiting}, ${parties.join(' and ')}, ${storage}`,
    run: onProgress => enumerate(orders => meet(world, orders), onProgress),
  };
}

async function enumerate(
  live: (orders: DepthFirst) => Promise<void>,
  onProgress: (progress: Progress) => void,
): Promise<Progress> {
  const orders = new DepthFirst();
  for (;;) {
    await live(orders);
    const isOpen = orders.next();
    const [made, known] = orders.runs;
    if (!isOpen) return { made, known, orders: orders.orders };
    onProgress({ made, known });
  }
}

/** @param step of the calls, which of them meet the mishap */
export function machine(mishap: Mishap, step = 1): Enumerated {
  const name = `one machine, ${mishap} at a call, sqlite`;
  return eachCall(name, onDone => surviveEach(mishap, step, onDone));
}

/** @param step of the calls, at which of them it happens */
export function changedMachine(change: Change, step = 1): Enumerated {
  const name = `one machine, ${change} at a call, sqlite`;
  return eachCall(name, onDone => changeAtEach(change, step, onDone));
}

function eachCall(name: string, live: (onDone: () => void) => Promise<void>): Enumerated {
  return {
    name,
    run: async onProgress => {
      let made = 0;
      await live(() => {
        made += 1;
        onProgress({ made, known: made });
      });
      return { made, known: made };
    },
  };
}
