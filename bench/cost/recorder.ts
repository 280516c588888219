import { LATENCY, NOTHING_COUNTED, type Party } from './used.ts';

/** One request that a function made, and when by this machine's clock, in ms. */
interface Seen {
  readonly began: number;
  readonly ended: number;
  readonly party: Party;
}

type Counted = typeof NOTHING_COUNTED;

/** Adds up the requests of one run of a function. */
export class Recorder {
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
    const ready = new Promise(resolve => setTimeout(resolve, LATENCY[party]));
    const [answered] = await Promise.all([answer(), ready]);
    this.#seen.push({ began, ended: performance.now(), party });
    return answered;
  }

  /** What was counted, and the ms in which a request was under way: `waited` with the stated latencies,
   *  `waitedHere` as measured. */
  get(): Counted & { waited: number; waitedHere: number } {
    const stated = this.#seen.map(({ began, party }) => ({ began, ended: began + LATENCY[party] }));
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
