import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as turn } from 'node:timers/promises';

interface Due {
  readonly at: number;
  readonly seq: number;
  action: (() => void) | undefined;
}

/** Nothing is left to happen, and yet somebody waits. */
export class Stuck extends Error {}

/** Virtual time: what is to happen is done in the order of its time, and the clock jumps from one to the next. Between two
 *  of them every promise that can go on has gone on, so that the same plan always runs the same way. */
export class Scheduler {
  #now: number;
  #seq = 0;
  #frozen = 0;
  /** A binary heap: the earliest first, and of two at one time the one that was asked for first. */
  readonly #heap: Due[] = [];

  constructor(now: number) {
    this.#now = now;
  }

  /** Virtual ms since 1970. */
  get now(): number {
    return this.#now;
  }

  /** What the clocks of the passes and the service show, in ms since 1970, before any of them is off. */
  get wall(): number {
    return this.#now + this.#frozen;
  }

  /** Does `action` in `ms`. Returns what takes it back. */
  after(ms: number, action: () => void): () => void {
    this.#seq += 1;
    const due: Due = { at: this.#now + Math.max(0, Math.ceil(ms)), seq: this.#seq, action };
    this.#push(due);
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
      const due = this.#pop();
      if (!due || due.at > end)
        throw new Stuck(`${what}: ${due ? 'not in time' : 'nothing is left to happen'}`);
      if (!due.action) continue;
      this.#now = Math.max(this.#now, due.at);
      due.action();
      await turn();
    }
  }

  /** The passes and the service stand still for `ms`, and their clocks go on: nothing happens meanwhile, and what was to happen
   *  in a while still does so in a while. */
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

  #push(due: Due): void {
    const heap = this.#heap;
    heap.push(due);
    for (let index = heap.length - 1; index > 0; ) {
      const parent = (index - 1) >> 1;
      if (!isBefore(heap[index], heap[parent])) return;
      swap(heap, index, parent);
      index = parent;
    }
  }

  #pop(): Due | undefined {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (heap.length === 0 || !last) return first;
    heap[0] = last;
    for (let index = 0; ; ) {
      const left = 2 * index + 1;
      const child = isBefore(heap[left + 1], heap[left]) ? left + 1 : left;
      if (!isBefore(heap[child], heap[index])) return first;
      swap(heap, index, child);
      index = child;
    }
  }
}

function isBefore(one: Due | undefined, other: Due | undefined): boolean {
  if (!one || !other) return one !== undefined;
  return one.at < other.at || (one.at === other.at && one.seq < other.seq);
}

function swap(heap: Due[], one: number, other: number): void {
  const [left, right] = [heap[one], heap[other]] as [Due, Due];
  heap[one] = right;
  heap[other] = left;
}

/** Whose timers are virtual: all that is called from where `virtualTimers` was, however indirectly. */
const virtual = new AsyncLocalStorage<Scheduler | undefined>();

/** Makes `setTimeout` virtual, for the code that takes no other clock: from here on, and in nothing that others have under way
 *  in this process, such as a connection that another test leaves open. Returns what makes it real again. */
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
