import type { Clock, Sleep } from '../basics/clock.ts';
import { iso } from './page.ts';
import type { AnswerOf } from './protocol/answers.ts';
import type { RequestOf } from './protocol/requests.ts';

type Page = AnswerOf<'events'>;
type Committed = Page['events'][number];

/** Which events to follow; `since` is now by default. */
type FollowQuery = Omit<RequestOf<'events'>, 'operation' | 'order' | 'until' | 'cursor' | 'limit'>;

interface FollowOptions {
  readonly ask: (asked: RequestOf<'events'>) => Promise<Page>;
  /** The follower's own clock, which may differ from the server's. */
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly signal?: AbortSignal | undefined;
  readonly limit?: number;
}

const INTERVAL_MS = 1_000;
const LIMIT = 100;

/**
 * Events are ordered by commit time, but a commit may become visible after later ones: its writer's clock is slow, or
 * its transaction was retried. So every 10 s the last two minutes are read again, and known ids are skipped. A commit
 * is missed only if it becomes visible more than 100 s late, less the time that the reread takes; a pass retries a
 * transaction for a few seconds only.
 */
const OVERLAP_MS = 120_000;
const REREAD_INTERVAL_MS = 10_000;

/** Yields each event committed from `since` on, once, in commit order, except those that become visible late. Only
 *  the ids of the last two minutes are kept. @throws the errors of `ask` */
export async function* follow(
  query: FollowQuery,
  { ask, clock, sleep, signal, limit = LIMIT }: FollowOptions,
): AsyncGenerator<Committed, void, undefined> {
  const since = Date.parse(query.since ?? (await serverTime(ask)));
  /** Yielded ids, with their commit times. */
  const yielded = new Map<string, number>();
  let readTo = since;
  let rereadAt = Number.NEGATIVE_INFINITY;
  while (!signal?.aborted) {
    const began = { at: clock(), readTo };
    const isReread = began.at - rereadAt >= REREAD_INTERVAL_MS;
    if (isReread) rereadAt = began.at;
    const from = iso(Math.max(since, readTo - (isReread ? OVERLAP_MS : 0)));
    // With more to read all the time, a round still ends, so that the next one can reread. The time to reread does not
    // count: two minutes of many events take longer than the interval.
    let passedAt: number | undefined;
    const isRoundOver = () => {
      if (readTo > began.readTo) passedAt ??= clock();
      return passedAt !== undefined && clock() - passedAt >= REREAD_INTERVAL_MS;
    };
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

async function serverTime(ask: FollowOptions['ask']): Promise<string> {
  const none = { since: iso(0), until: iso(0) };
  return (await ask({ operation: 'events', ...none, limit: 1 })).at;
}

/** How far the journal was read; at most the answer's own time, so that a commit with a future time doesn't hide
 *  others. */
function reached({ readTo, at }: Page): number {
  return readTo === undefined ? 0 : Math.min(Date.parse(readTo), Date.parse(at));
}
