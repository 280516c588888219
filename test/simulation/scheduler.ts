import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as turn } from 'node:timers/promises';

interface Due {
  readonly at: number;
  action: (() => void) | undefined;
}

/** Nothing is left to happen, and yet somebody waits. */
export class Stuck extends Error {}

/** Virtual time: actions are run in the order of their times, and the clock jumps from one to the next.
 *  Before each of them all promises that can go on have done so, so that the same plan always runs in the
 *  same way. */
export class Scheduler {
  #now: number;
  #frozen = 0;
  /** The latest first, and of two at one time the one that was asked for last. */
  readonly #dues: Due[] = [];

  constructor(now: number) {
    this.#now = now;
  }

  /** Virtual ms since 1970. */
  get now(): number {
    return this.#now;
  }

  /** What the clocks of passes and service would show if none were wrong, in ms since 1970. */
  get wall(): number {
    return this.#now + this.#frozen;
  }

  /** Runs `action` after `ms`. @returns a function that cancels it */
  after(ms: number, action: () => void): () => void {
    const due: Due = { at: this.#now + Math.max(0, Math.ceil(ms)), action };
    let place = this.#dues.length;
    while (place > 0 && (this.#dues[place - 1] as Due).at <= due.at) place -= 1;
    this.#dues.splice(place, 0, due);
    return () => {
      due.action = undefined;
    };
  }

  sleep(ms: number): Promise<void> {
    return new Promise(resolve => void this.after(ms, resolve));
  }

  /** Lets things happen until `isDone` holds.
   *  @throws Stuck when nothing is left to happen before that, or before `limit` (virtual ms from now). */
  async until(isDone: () => boolean, what: string, limit = 30 * 86_400_000): Promise<void> {
    const end = this.#now + limit;
    await turn();
    while (!isDone()) {
      const due = this.#dues.pop();
      if (!due || due.at > end)
        throw new Stuck(`${what}: ${due ? 'not in time' : 'nothing is left to happen'}`);
      if (!due.action) continue;
      this.#now = Math.max(this.#now, due.at);
      due.action();
      await turn();
    }
  }

  /** Passes and service stand still for `ms` while their clocks go on: nothing happens meanwhile, and
   *  everything that is to happen is delayed by `ms`. */
  freeze(ms: number): void {
    this.#frozen += ms;
  }

  /** Lets `ms` pass. */
  async pass(ms: number): Promise<void> {
    let over = false;
    this.after(ms, () => {
      over = true;
    });
    await this.until(() => over, 'time passes');
  }
}

/** The scheduler of the present asynchronous context: of all code that is called, however indirectly,
 *  where `virtualTimers` was. */
const virtual = new AsyncLocalStorage<Scheduler | undefined>();

/** Makes `setTimeout` virtual, for code that takes no other clock: in all that is called from here on,
 *  but not in other work of this process, such as a connection that another test left open. @returns a
 *  function that makes it real again */
export function virtualTimers(scheduler: Scheduler): () => void {
  const { setTimeout, clearTimeout } = globalThis;
  virtual.enterWith(scheduler);
  globalThis.setTimeout = ((action: () => void, ms = 0, ...args: unknown[]) =>
    virtual.getStore()?.after(ms, action) ?? setTimeout(action, ms, ...(args as []))) as never;
  globalThis.clearTimeout = ((timer: unknown) =>
    typeof timer === 'function' ? timer() : clearTimeout(timer as NodeJS.Timeout)) as never;
  return () => {
    Object.assign(globalThis, { setTimeout, clearTimeout });
    virtual.enterWith(undefined);
  };
}
