import type { Clock, Sleep } from '../../basics/clock.ts';
import type { Probed, ProbedToken, ServiceProbe } from '../../service/probe.ts';

export type Query = Readonly<Record<string, string | number>>;

/** Asks the service for the examinations of one process: politely, and never without bound. */
export interface Asker {
  readonly process: string;
  /** Ours, in ms since 1970. */
  readonly clock: Clock;
  /** Asks below the base address. The same question is answered from memory, unless it is asked `again`.
   *  @throws TooManyRequests when all that a doctor may ask was asked */
  get(segments: readonly string[], query?: Query, how?: { readonly again?: boolean }): Promise<Probed>;
  token(): Promise<ProbedToken>;
  readonly definitions: ServiceProbe['definitions'];
  /** By list: what was asked for with pages that were too large, and the size that is asked for since. */
  readonly tooLarge: Map<string, { readonly first: number; readonly answers: readonly Probed[] }>;
  /** All that came so far, those that were tried again included. */
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
  /** Requests in all, and a second. */
  readonly most: number;
  readonly perSecond: number;
}

/** A `Retry-After` that asks for more than this is not waited for. */
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
