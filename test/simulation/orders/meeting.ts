import type { Clock, Sleep } from '../../../functions/basics/clock.ts';
import type { Coverage } from '../faults.ts';
import { Life, type Nature } from '../life.ts';
import { Violation } from '../oracle/violation.ts';
import { Scheduler, virtualTimers } from '../scheduler.ts';
import { smallPlan } from '../small-plan.ts';
import { dynamoStorage } from '../storage/dynamo.ts';
import { sqliteStorage } from '../storage/sqlite.ts';
import type { Ports, Storage } from '../storage/storage.ts';
import type { DepthFirst } from './depth-first.ts';
import { OrderFailed } from './passes.ts';
import { digest, type Waiting, Walker } from './walker.ts';

/** A process as it reaches the storage. While parties meet, time stands still. */
export interface Reaching {
  readonly life: Life;
  readonly ports: Ports;
  readonly clock: Clock;
  readonly sleep: Sleep;
}

/** A short program over functions of the product. */
export interface Party {
  readonly name: string;
  readonly run: (reaching: Reaching) => Promise<unknown>;
  /** By how much its clock is ahead, in ms. */
  readonly ahead?: number;
}

/** Parties that meet, and what holds in each order of their calls. */
export interface Meeting {
  readonly parties: readonly Party[];
  /** Before they meet. */
  readonly prepare?: (free: Reaching) => Promise<unknown>;
  /** @param by the party whose call was the last */
  readonly check?: (by: Party | undefined) => void;
  /** @param struck the fault that a party met */
  readonly checkEnd?: (free: Reaching, struck: ReadonlyMap<Party, Fault>) => Promise<void> | void;
  /** What the parties can notice, or the checks rest on, beside what is stored. */
  readonly state?: () => unknown;
}

/** A call is the last of its process; its answer is lost, and the client repeats it; or it is about the topic, and fails. */
type Fault = 'dies-before' | 'repeated' | 'throttled' | 'worked-then-failed' | 'some-fail';

/** A small world: parties that reach the same rows at the same moment. */
export interface MeetingWorld {
  readonly name: string;
  readonly storage: 'dynamodb' | 'sqlite';
  readonly meeting: (place: Place) => Meeting;
  /** At most one call meets a fault. */
  readonly hasFault?: boolean;
}

/** Of SNS alone. */
const ANSWERS = ['worked-then-failed', 'some-fail'] as const;
export const BEGIN = Date.UTC(2026, 10, 21, 12);
const atOnce: Sleep = async () => {};

/** Where parties meet. */
export class Place {
  readonly scheduler = new Scheduler(BEGIN);
  readonly storage: Storage;
  readonly #nature: Nature;
  #drawn = 0;
  #failure: unknown;

  constructor(storage: MeetingWorld['storage']) {
    // No two revisions are the same.
    const random = () => (++this.#drawn % 1_000) / 1_000;
    const { scheduler } = this;
    // Every call meets every fault here.
    const coverage = { add: () => {} } as unknown as Coverage;
    this.#nature = { scheduler, random, coverage, faulty: false, delays: {} };
    this.storage =
      storage === 'sqlite' ? sqliteStorage() : dynamoStorage(smallPlan(storage, []), this.#nature);
  }

  readonly fail = (error: unknown): void => {
    this.#failure ??= error;
  };

  readonly log = {
    info: () => {},
    warn: () => {},
    error: (message: string, details?: object) =>
      this.fail(new Violation(1, `${message} ${JSON.stringify(details)}`)),
  };

  faultsOf({ boundary }: Waiting): readonly Fault[] {
    if (boundary === 'topic.publish')
      return ['dies-before', 'throttled', ...(this.storage.isLocal ? [] : ANSWERS)];
    const isRepeated = !this.storage.isLocal && /table\.(update|transaction)/.test(boundary);
    return isRepeated ? ['dies-before', 'repeated'] : ['dies-before'];
  }

  get state(): unknown {
    return [...this.storage.items(), this.#drawn, this.scheduler.wall];
  }

  /** A process whose calls wait at `walker` for their turn; without one they are free. */
  reach(walker?: Walker, ahead = 0): Reaching {
    const life = new Life(this.#nature, () => walker?.ends());
    life.passThrough(walker?.gate() ?? { hold: call => void call() });
    const clock = () => this.scheduler.wall + ahead;
    const ports = this.storage.reachedBy({ life, clock, sleep: atOnce, ran: () => {} });
    return { life, ports, clock, sleep: atOnce };
  }

  /** Lets every party come to its next call. */
  async rest(): Promise<void> {
    const rested = Promise.withResolvers<void>();
    this.scheduler.after(0, () => this.scheduler.after(0, rested.resolve));
    await this.until(rested.promise, 'the parties come to their next calls');
  }

  async until(work: Promise<unknown> | unknown, what: string): Promise<void> {
    let isOver = false;
    void Promise.resolve(work).then(() => {
      isOver = true;
    }, this.fail);
    await this.scheduler.until(() => isOver || this.#failure !== undefined, what);
    if (this.#failure) throw this.#failure;
  }
}

/** Lives through one order of the calls, and judges its end. */
export async function meetAtRows(world: MeetingWorld, orders: DepthFirst): Promise<void> {
  const place = new Place(world.storage);
  const realTimers = virtualTimers(place.scheduler);
  const steps: string[] = [];
  try {
    const meeting = world.meeting(place);
    await place.until(meeting.prepare?.(place.reach()), 'the rows are written');
    const struck = await cross(place, meeting, { orders, steps, hasFault: world.hasFault === true });
    if (struck) await place.until(meeting.checkEnd?.(place.reach(), struck), 'the end is judged');
  } catch (error) {
    throw new OrderFailed(`${(error as Error).message}\n${steps.map(step => `  ${step}`).join('\n')}`, {
      cause: error,
    });
  } finally {
    realTimers();
  }
}

interface Order {
  readonly orders: DepthFirst;
  readonly steps: string[];
  readonly hasFault: boolean;
}

/** @returns the faults; undefined when it came to a state that another order had reached. */
async function cross(
  place: Place,
  { parties, ...meeting }: Meeting,
  { orders, steps, hasFault }: Order,
): Promise<ReadonlyMap<Party, Fault> | undefined> {
  const struck = new Map<Party, Fault>();
  const walkers = parties.map((party, index) => {
    const walker = new Walker(`${'ABC'[index]} (${party.name})`);
    void party.run(place.reach(walker, party.ahead)).then(() => walker.ends(), place.fail);
    return { party, walker };
  });
  const state = () =>
    digest([
      place.state,
      meeting.state?.(),
      walkers.map(({ walker }) => walker.state),
      [...struck].map(([party, fault]) => [parties.indexOf(party), fault]),
    ]);
  for (let last: Party | undefined; ; ) {
    await place.rest();
    meeting.check?.(last);
    const options = walkers.flatMap(({ party, walker }) =>
      walker.waiting.flatMap(waits => {
        const faults = hasFault && struck.size === 0 ? place.faultsOf(waits) : [];
        return [undefined, ...faults].map(fault => ({ party, walker, waits, fault }));
      }),
    );
    if (options.length === 0) {
      const stuck = walkers.find(({ walker }) => walker.isUnderWay);
      if (stuck) throw new Violation(8, `${stuck.walker.name} never ends`);
      return orders.endsNew(state()) ? struck : undefined;
    }
    const chosen = orders.choose(options.length, state);
    if (chosen === undefined) return undefined;
    const { party, walker, waits, fault } = options[chosen] as (typeof options)[number];
    const text = `${walker.name}: ${waits.name}${fault ? `, ${fault}` : ''}`;
    if (fault) struck.set(party, fault);
    last = party;
    steps.push(text);
    walker.take(waits, text, fault);
  }
}
