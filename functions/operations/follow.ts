import type { Clock, Sleep } from '../basics/clock.ts';
import { iso } from './page.ts';
import type { AnswerOf } from './protocol/answers.ts';
import type { RequestOf } from './protocol/requests.ts';

type Page = AnswerOf<'events'>;
type Committed = Page['events'][number];

/** Which events to follow; `since` is now by default. */
export type FollowQuery = Omit<RequestOf<'events'>, 'operation' | 'order' | 'until' | 'cursor' | 'limit'>;

export interface FollowOptions {
  readonly ask: (asked: RequestOf<'events'>) => Promise<Page>;
  /** The follower's own clock, which may differ from the one of whoever answers. */
  readonly clock: Clock;
  readonly sleep: Sleep;
  /** Ends it, even while it waits. */
  readonly signal?: AbortSignal | undefined;
  /** The most events of one page. */
  readonly limit?: number;
}

/** How long to wait when there were no further events. */
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
const REREAD_INTERVAL_MS = 10_000;

/** Yields each event that is committed from `since` on, once, in the order of commits, except those that
 *  become visible late. Only the ids of the last two minutes are held. @throws what `ask` throws */
export async function* follow(
  query: FollowQuery,
  { ask, clock, sleep, signal, limit = LIMIT }: FollowOptions,
): AsyncGenerator<Committed, void, undefined> {
  const since = Date.parse(query.since ?? (await serverTime(ask)));
  /** The ids that were yielded, with the times of their commits. */
  const yielded = new Map<string, number>();
  let readTo = since;
  let rereadAt = Number.NEGATIVE_INFINITY;
  while (!signal?.aborted) {
    const began = { at: clock(), readTo };
    const isReread = began.at - rereadAt >= REREAD_INTERVAL_MS;
    if (isReread) rereadAt = began.at;
    const from = iso(Math.max(since, readTo - (isReread ? OVERLAP_MS : 0)));
    // While there is always more to read, a round ends after some time, so that the next one can look back.
    const isRoundOver = () => readTo > began.readTo && clock() - began.at >= REREAD_INTERVAL_MS;
    let cursor: string | undefined;
    do {
      const page: Page = await ask({
        ...{ ...query, operation: 'events', order: 'oldest-first' },
        ...{ since: from, limit, ...(cursor !== undefined && { cursor }) },
      });
      const fresh = page.events.filter(({ event }) => !yielded.has(event.id));
      for (const { event, committedAt } of fresh) yielded.set(event.id, Date.parse(committedAt));
      yield* fresh;
      readTo = Math.max(readTo, reached(page));
      cursor = page.cursor;
    } while (cursor !== undefined && !isRoundOver() && !signal?.aborted);
    for (const [id, at] of yielded) if (at < readTo - OVERLAP_MS) yielded.delete(id);
    if (cursor !== undefined) continue;
    await sleep(INTERVAL_MS, signal).catch(error => {
      if (!signal?.aborted) throw error;
    });
  }
}

/** The time by the clock of whoever answers. */
async function serverTime(ask: FollowOptions['ask']): Promise<string> {
  const none = { since: iso(0), until: iso(0) };
  return (await ask({ operation: 'events', ...none, limit: 1 })).at;
}

/** How far the journal was read. Not beyond the answer's own time, so that a commit with a time in the future
 *  doesn't hide those before it. */
function reached({ readTo, at }: Page): number {
  return readTo === undefined ? 0 : Math.min(Date.parse(readTo), Date.parse(at));
}
