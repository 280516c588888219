import { LATENCY, NOTHING_COUNTED, type Party } from './used.ts';

/** One request that a function made, and when by this machine's clock, in ms. */
interface Seen {
  readonly began: number;
  readonly ended: number;
  /** ms that it takes for the bill. */
  readonly stated: number;
}

type Counted = typeof NOTHING_COUNTED;

/** Adds up the requests of one run of a function. */
export class Recorder {
  /** ms until an answer of each party comes. */
  readonly latency: Record<Party, number> = { ...LATENCY };
  #seen: Seen[] = [];
  #counted = nothing();

  /** Forgets what was counted. */
  clear(): void {
    this.#seen = [];
    this.#counted = nothing();
  }

  add(more: Partial<Counted>): void {
    const counted = this.#counted;
    for (const [name, value] of Object.entries(more))
      if (typeof value === 'number') counted[name as Exclude<keyof Counted, 'requests'>] += value;
    for (const [name, value] of Object.entries(more.requests ?? {}))
      counted.requests[name] = (counted.requests[name] ?? 0) + value;
  }

  /** Delays an answer to the latency of the party that gives it. */
  async late<Answer>(party: Party, answer: () => Promise<Answer>): Promise<Answer> {
    const began = performance.now();
    const stated = this.latency[party];
    const ready = new Promise(resolve => setTimeout(resolve, stated));
    const [answered] = await Promise.all([answer(), ready]);
    this.#seen.push({ began, ended: performance.now(), stated });
    return answered;
  }

  /** Waits for the end of a request that is never answered. */
  async unanswered(end: Promise<unknown>): Promise<void> {
    const began = performance.now();
    await end;
    const ended = performance.now();
    this.#seen.push({ began, ended, stated: ended - began });
  }

  /** What was counted, and the ms in which a request was under way: `waited` with the stated latencies,
   *  `waitedHere` as measured. */
  get(): Counted & { waited: number; waitedHere: number } {
    const stated = this.#seen.map(({ began, stated: ms }) => ({ began, ended: began + ms }));
    return { ...this.#counted, waited: covered(stated), waitedHere: covered(this.#seen) };
  }
}

function nothing() {
  return { ...NOTHING_COUNTED, requests: {} as Record<string, number> };
}

/** The length that intervals cover together. */
export function covered(intervals: readonly { readonly began: number; readonly ended: number }[]): number {
  let [until, sum] = [Number.NEGATIVE_INFINITY, 0];
  for (const { began, ended } of intervals.toSorted((one, other) => one.began - other.began)) {
    if (ended <= until) continue;
    sum += ended - Math.max(began, until);
    until = ended;
  }
  return sum;
}
