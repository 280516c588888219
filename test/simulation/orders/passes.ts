import { type Boundary, Coverage } from '../faults.ts';
import { judge } from '../judge.ts';
import type { EditKind, Plan, Run } from '../plan.ts';
import { isOfWorkspace, type PortCall } from '../port-calls.ts';
import { virtualTimers } from '../scheduler.ts';
import { smallEdit, smallPlan, WALK } from '../small-plan.ts';
import { World } from '../world.ts';
import type { DepthFirst } from './depth-first.ts';
import { OF, StateRows } from './state-rows.ts';
import { digest, Turns, type Waiting, Walker } from './walker.ts';

/** A small world: passes over two projects, one edit, and at most one fault. */
export interface SmallWorld {
  readonly storage: Plan['storage'];
  readonly modes: readonly Run['mode'][];
  readonly edit: EditKind;
  readonly hasFault?: boolean;
  /** The edit is made before the passes begin. */
  readonly isEarly?: boolean;
  /** The process is on hold, and an operator releases it; or a pass could not read a project. Faults are those of reading alone. */
  readonly begins?: 'on hold' | 'with a recheck';
  /** How often another pass goes on before one has ended. */
  readonly switches?: number;
}

/** Longer than a lease lasts. */
const PAUSE_MS = 65_000;
const CALM_MS = 600_000;
const READ_FAULTS = ['dies-before', 'throttled'];
const WRITE_FAULTS = ['dies-before', 'dies-after', 'throttled', 'worked-then-failed'];
const UNREADABLE = { boundary: 'service.tasks', fault: '403', nth: 0, times: 1 } as const;
/** An answer that the client does not ask for again. */
const SERVICE_FAULTS = ['dies-before', '403'];

interface Option {
  readonly text: string;
  readonly isFault: boolean;
  readonly take: () => void;
}

export class OrderFailed extends Error {}

/** Lives through one order of a small world's calls, and judges its end. */
export async function walk(small: SmallWorld, orders: DepthFirst): Promise<void> {
  const plan = planOf(small);
  const world = new World(plan, new Coverage());
  const realTimers = virtualTimers(world.scheduler);
  const steps: string[] = [];
  try {
    await prepare(world, small);
    const isWhole = await new Crossing(world, small, orders, steps).walk();
    if (!isWhole) return;
    world.calm();
    await judge(world, plan);
  } catch (error) {
    throw new OrderFailed(`${(error as Error).message}\n${steps.map(step => `  ${step}`).join('\n')}`, {
      cause: error,
    });
  } finally {
    realTimers();
  }
}

async function prepare(world: World, { begins, edit, isEarly }: SmallWorld): Promise<void> {
  await world.done(world.pollers.run({ ...WALK, mode: 'sweep' }), 'the baseline ends');
  await world.pass(CALM_MS);
  if (begins) {
    world.service.edit(smallEdit(begins === 'on hold' ? 'delete all projects' : 'update project'));
    const strikes = begins === 'on hold' ? [] : [UNREADABLE];
    await world.done(world.pollers.run({ ...WALK, mode: 'sweep', strikes }), 'a sweep ends');
    await world.pass(CALM_MS);
  }
  if (isEarly) world.service.edit(smallEdit(edit));
  world.standStill();
}

class Crossing {
  readonly #world: World;
  readonly #small: SmallWorld;
  readonly #orders: DepthFirst;
  readonly #steps: string[];
  readonly #walkers: readonly Walker[];
  readonly #rows: StateRows<Walker>;
  readonly #turns: Turns;
  #isEdited: boolean;
  #isReleased: boolean;
  #faultsLeft: number;

  constructor(world: World, small: SmallWorld, orders: DepthFirst, steps: string[]) {
    this.#world = world;
    this.#small = small;
    this.#orders = orders;
    this.#steps = steps;
    this.#faultsLeft = small.hasFault ? 1 : 0;
    this.#isEdited = small.isEarly === true;
    this.#isReleased = small.begins !== 'on hold';
    this.#rows = new StateRows(world.storage);
    this.#turns = new Turns(small.switches);
    this.#walkers = small.modes.map((mode, index) => new Walker(`${'AB'[index]} (${mode})`));
  }

  /** @returns false when it came to a state that another order had reached. */
  async walk(): Promise<boolean> {
    for (const [index, walker] of this.#walkers.entries()) {
      const request = { mode: this.#small.modes[index] ?? 'changes', budget: 900_000, strikes: [] };
      void this.#world.pollers.runThrough(walker.gate(), request).then(() => walker.ends());
    }
    for (;;) {
      await this.#settle();
      this.#rows.checkHold();
      const options = this.#options();
      if (options.length === 0) {
        const isNew = this.#orders.endsNew(this.#state());
        this.#world.goOn();
        return isNew;
      }
      const chosen = this.#orders.choose(options.length, () => this.#state());
      if (chosen === undefined) return false;
      const option = options[chosen] as Option;
      this.#steps.push(option.text);
      if (option.isFault) this.#faultsLeft -= 1;
      option.take();
    }
  }

  /** Lets every pass come to its next call. */
  async #settle(): Promise<void> {
    let isOver = false;
    const { scheduler } = this.#world;
    scheduler.after(0, () =>
      scheduler.after(0, () => {
        isOver = true;
      }),
    );
    await this.#world.until(() => isOver, 'the passes come to their next calls');
  }

  #options(): Option[] {
    const options: Option[] = [];
    const free = this.#walkers.find(({ waiting }) => waiting.some(one => this.#isFree(one)));
    for (const walker of free ? [free] : this.#turns.among(this.#walkers))
      for (const waits of free ? free.waiting.filter(one => this.#isFree(one)).slice(0, 1) : walker.waiting)
        for (const fault of [undefined, ...this.#faultsAt(waits.boundary)]) {
          const text = `${walker.name}: ${waits.name}${fault ? `, ${fault}` : ''}`;
          const take = () => {
            if (!free) this.#turns.take(walker);
            walker.take(waits, `${text} ${this.#world.scheduler.wall}`, fault);
            this.#rows.check(walker, waits.name === 'rechecks');
          };
          options.push({ text, take, isFault: fault !== undefined });
        }
    if (free) return options;
    if (!this.#isEdited) {
      const take = () => {
        this.#isEdited = true;
        this.#world.service.edit(smallEdit(this.#small.edit));
      };
      options.push({ text: `the service: ${this.#small.edit}`, take, isFault: false });
    }
    if (!this.#isReleased) {
      const take = () => {
        this.#isReleased = true;
        void this.#world.storage.readers.states.release(OF);
      };
      options.push({ text: 'an operator: release', take, isFault: false });
    }
    const underWay = this.#walkers.filter(({ isUnderWay }) => isUnderWay);
    if (this.#faultsLeft > 0 && !this.#small.begins && underWay.length === 2) {
      const take = () => this.#world.scheduler.freeze(PAUSE_MS);
      options.push({ text: 'both pause for longer than a lease', take, isFault: true });
    }
    return options;
  }

  /** Whether the order of a call among those of the other pass, and the edit, is of no effect. */
  #isFree({ boundary, name }: Waiting): boolean {
    if (boundary === 'service.token' || boundary === 'service.definitions') return true;
    return boundary.startsWith('service') ? this.#isEdited : isOfWorkspace(name as PortCall);
  }

  #faultsAt(boundary: Boundary): readonly string[] {
    if (this.#faultsLeft === 0) return [];
    if (this.#small.begins) return boundary === 'service.tasks' ? ['403'] : [];
    if (boundary === 'service.projects' || boundary === 'service.tasks') return SERVICE_FAULTS;
    if (boundary.startsWith('service')) return SERVICE_FAULTS.slice(0, 1);
    return boundary === 'table.read' ? READ_FAULTS : WRITE_FAULTS;
  }

  #state(): string {
    const { scheduler, storage } = this.#world;
    return digest([
      scheduler.wall,
      scheduler.now,
      this.#isEdited,
      this.#isReleased,
      this.#faultsLeft,
      this.#walkers.map(({ state }) => state),
      this.#turns.state,
      [...storage.items()],
    ]);
  }
}

/** The plan by which the oracle judges; the passes that meet are made here, not by the plan. */
function planOf({ storage, modes, edit }: SmallWorld): Plan {
  return smallPlan(storage, [
    { ...WALK, do: 'run', gap: 0, mode: 'sweep' },
    {
      ...{ do: 'meet', gap: CALM_MS, pace: 0, changes: [], isClose: false },
      walkers: modes.map(mode => ({ ...WALK, mode })),
      edits: [{ ...smallEdit(edit), at: 0 }],
    },
  ]);
}
