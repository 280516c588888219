import type { Clock, Sleep } from '../basics/clock.ts';
import type { Probed, ProbedToken, ServiceProbe } from '../service/probe.ts';

export type Query = Readonly<Record<string, string | number>>;

/** Asks the service for the examinations of one process, with bounds for the rate and the number of
 *  requests. */
export interface Asker {
  readonly process: string;
  /** Our clock, in ms since 1970. */
  readonly clock: Clock;
  /** Sends a GET below the base address. The same request is answered from memory, unless it is sent `again`.
   *  @throws TooManyRequests when as many requests were sent as a doctor may send */
  get(segments: readonly string[], query?: Query, how?: { readonly again?: boolean }): Promise<Probed>;
  token(): Promise<ProbedToken>;
  readonly definitions: ServiceProbe['definitions'];
  /** By list: the answers to pages that were too large, and the page size that was asked for instead. */
  readonly tooLarge: Map<string, { readonly first: number; readonly answers: readonly Probed[] }>;
  /** All answers so far, including those after which a request was tried again. */
  readonly met: readonly Omit<Probed, 'body'>[];
  wait(ms: number): Promise<void>;
}

export class TooManyRequests extends Error {
  constructor(most: number) {
    super(`the doctor asks no more than ${most} requests`);
  }
}

export interface AskerOptions {
  readonly probe: ServiceProbe;
  readonly process: string;
  readonly clock: Clock;
  readonly sleep: Sleep;
  /** The most requests in all, and per second. */
  readonly most: number;
  readonly perSecond: number;
}

/** A request is given up when its `Retry-After` asks for a longer wait. */
const LONGEST_WAIT = 20_000;
const SHORTEST_WAIT = 1_000;

export function createAsker({ probe, process, clock, sleep, most, perSecond }: AskerOptions): Asker {
  const known = new Map<string, Probed>();
  const met: Omit<Probed, 'body'>[] = [];
  let next = 0;
  const send = async (segments: readonly string[], query: Query): Promise<Probed> => {
    if (met.length >= most) throw new TooManyRequests(most);
    const early = next - clock();
    if (early > 0) await sleep(early);
    next = clock() + 1000 / perSecond;
    const came = await probe.get(segments, query);
    const { body: _, ...about } = came;
    met.push(about);
    return came;
  };
  const persist = async (segments: readonly string[], query: Query): Promise<Probed> => {
    const came = await send(segments, query);
    const isBusy = came.status === 429 || (came.status === 503 && came.retryAfter !== undefined);
    const wait = Math.max(came.retryAfter ?? 0, SHORTEST_WAIT);
    if (!isBusy || wait > LONGEST_WAIT) return came;
    await sleep(wait);
    return send(segments, query);
  };
  return {
    process,
    clock,
    met,
    tooLarge: new Map(),
    definitions: probe.definitions,
    token: () => probe.token(),
    wait: ms => sleep(ms),
    async get(segments, query = {}, { again = false } = {}) {
      const key = JSON.stringify([segments, Object.entries(query).sort()]);
      const before = again ? undefined : known.get(key);
      if (before) return before;
      const came = await persist(segments, query);
      if (!again) known.set(key, came);
      return came;
    },
  };
}
