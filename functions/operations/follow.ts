import type { Clock, Sleep } from '../basics/clock.ts';
import { iso } from './page.ts';
import type { AnswerOf } from './protocol/answers.ts';
import type { RequestOf } from './protocol/requests.ts';

type Page = AnswerOf<'events'>;
type Committed = Page['events'][number];

/** Which events to follow; `since` is now by default. */
export type Followed = Omit<RequestOf<'events'>, 'operation' | 'order' | 'until' | 'cursor' | 'limit'>;

export interface Following {
  readonly ask: (asked: RequestOf<'events'>) => Promise<Page>;
  /** The follower's own clock, which may differ from the one of whoever answers. */
  readonly clock: Clock;
  readonly sleep: Sleep;
  /** Ends it, even while it waits. */
  readonly signal?: AbortSignal | undefined;
  /** How long to wait, in ms, when there were no further events. */
  readonly interval?: number;
  /** The most events of one page. */
  readonly limit?: number;
}

const INTERVAL_MS = 1_000;
const LIMIT = 100;

/**
 * Events come in the order of their commits' times, but a commit may become visible after later ones: the
 * clock of its writer is behind, or its transaction was tried again for some seconds. So every 10 s the last
 * two minutes are read once more; events that were yielded before are known by their ids. A commit is missed
 * only if it becomes visible more than 100 s after its time (20 s of the two minutes are for these rounds
 * themselves), and a pass retries a transaction for a few seconds only.
 */
const OVERLAP_MS = 120_000;
const LOOK_BACK_EVERY_MS = 10_000;

/** Yields each event that is committed from `since` on, once, in the order of commits, except those that
 *  become visible late. Only the ids of the last two minutes are held. @throws what `ask` throws */
export async function* follow(
  query: Followed,
  following: Following,
): AsyncGenerator<Committed, void, undefined> {
  const { ask, sleep, signal, interval = INTERVAL_MS } = following;
  const follower = new Follower(query, following, Date.parse(query.since ?? (await nowThere(ask))));
  while (!signal?.aborted) {
    yield* follower.round();
    if (follower.isAtEnd && !signal?.aborted) await sleep(interval, signal).catch(unless(signal));
  }
}

class Follower {
  readonly #query: Followed;
  readonly #following: Following;
  readonly #since: number;
  /** The ids that were yielded, with the times of their commits. */
  readonly #told = new Map<string, number>();
  #readTo: number;
  #lookedBack: number | undefined;
  /** Whether the last round read everything that there was. */
  isAtEnd = false;

  constructor(query: Followed, following: Following, since: number) {
    this.#query = query;
    this.#following = following;
    this.#since = since;
    this.#readTo = since;
  }

  /** Yields what is new. While there is always more to read, it ends after some time, so that the next round
   *  can look back. */
  async *round(): AsyncGenerator<Committed, void, undefined> {
    const { ask, clock, signal, limit = LIMIT } = this.#following;
    const began = { at: clock(), readTo: this.#readTo };
    const from = this.#beginning(began.at);
    const isTime = () => this.#readTo > began.readTo && clock() - began.at >= LOOK_BACK_EVERY_MS;
    let cursor: string | undefined;
    do {
      const page: Page = await ask(requestOf(this.#query, { from, cursor, limit }));
      yield* this.#newOf(page);
      this.#readTo = Math.max(this.#readTo, reached(page));
      cursor = page.cursor;
    } while (cursor !== undefined && !isTime() && !signal?.aborted);
    this.isAtEnd = cursor === undefined;
    for (const [id, at] of this.#told) if (at < this.#readTo - OVERLAP_MS) this.#told.delete(id);
  }

  #beginning(now: number): number {
    const isBack = this.#lookedBack === undefined || now - this.#lookedBack >= LOOK_BACK_EVERY_MS;
    if (isBack) this.#lookedBack = now;
    return Math.max(this.#since, this.#readTo - (isBack ? OVERLAP_MS : 0));
  }

  *#newOf({ events }: Page): Generator<Committed, void, undefined> {
    for (const committed of events) {
      const { event, committedAt } = committed;
      if (this.#told.has(event.id)) continue;
      this.#told.set(event.id, Date.parse(committedAt));
      yield committed;
    }
  }
}

/** Ignores that a wait was aborted. */
function unless(signal: AbortSignal | undefined): (error: unknown) => void {
  return error => {
    if (!signal?.aborted) throw error;
  };
}

/** The time by the clock of whoever answers. */
async function nowThere(ask: Following['ask']): Promise<string> {
  const none = { since: iso(0), until: iso(0) };
  return (await ask({ operation: 'events', ...none, limit: 1 })).at;
}

/** How far the journal was read. Not beyond the answer's own time, so that a commit with a time in the future
 *  doesn't hide those before it. */
function reached({ readTo, at }: Page): number {
  return readTo === undefined ? 0 : Math.min(Date.parse(readTo), Date.parse(at));
}

function requestOf(
  query: Followed,
  { from, cursor, limit }: { from: number; cursor: string | undefined; limit: number },
): RequestOf<'events'> {
  const place = { since: iso(from), ...(cursor !== undefined && { cursor }) };
  return { ...query, operation: 'events', order: 'oldest-first', ...place, limit };
}
