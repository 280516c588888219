import { follow } from '../../functions/operations/follow.ts';
import { type ChangeLine, changeLine } from '../model/change-line.ts';
import type { Committed } from '../model/committed.ts';
import { emptyFeed, type Feed, MAX_LINES, withNew, withOlder } from '../model/feed.ts';
import { messageOf, NotAllowed } from './api.ts';
import type { Session } from './session.ts';
import { createStore, type Store } from './store.ts';

/** The live view: the latest changes, and whether they can be read. */
export interface LiveState {
  readonly feed: Feed<ChangeLine>;
  readonly isLoaded: boolean;
  /** Why changes can't be read now, while that is so. */
  readonly trouble: string | undefined;
  /** `more`: there are older ones; `all`: none; `loading`: they are being read. */
  readonly older: 'more' | 'all' | 'loading';
}

export interface Live {
  readonly store: Store<LiveState>;
  older(): Promise<void>;
}

const FIRST_LINES = 100;
/** The shortest time between two drawings, however many changes come. */
const DRAWN_EVERY_MS = 250;

/** Shows the latest changes, then follows new ones until `signal` aborts: each change once, even after a
 *  time without a connection. */
export function startLive(session: Session, signal: AbortSignal): Live {
  const store = createStore<LiveState>({
    feed: emptyFeed(),
    isLoaded: false,
    trouble: undefined,
    older: 'all',
  });
  const update = (part: Partial<LiveState>) => store.set({ ...store.get(), ...part });
  const told = (trouble: string | undefined) => store.get().trouble !== trouble && update({ trouble });
  let cursor: string | undefined;
  const page = (from?: string) =>
    session.ask(
      { operation: 'events', limit: FIRST_LINES, ...(from !== undefined && { cursor: from }) },
      signal,
    );
  const run = async () => {
    const first = await session.persist(() => page(), signal, told);
    cursor = first.cursor;
    const feed = withOlder(emptyFeed<ChangeLine>(), first.events.map(changeLine));
    update({ feed, isLoaded: true, older: cursor === undefined ? 'all' : 'more' });
    // Following begins some time back, because an event may become visible only after its commit time.
    // The feed leaves out what it has.
    const since = new Date(Date.parse(first.at) - LATE_MS).toISOString();
    const add = batched(came => update({ feed: withNew(store.get().feed, came.map(changeLine)) }));
    const following = {
      ask: (asked: Parameters<Parameters<typeof follow>[1]['ask']>[0]) =>
        session.persist(() => session.ask(asked, signal), signal, told),
      clock: Date.now,
      sleep: session.pause,
      signal,
    };
    for await (const committed of follow({ since }, following)) add(committed);
  };
  run().catch((error: unknown) => {
    if (!signal.aborted && !(error instanceof NotAllowed)) told(messageOf(error));
  });
  return {
    store,
    older: async () => {
      if (store.get().older !== 'more' || store.get().feed.lines.length >= MAX_LINES) return;
      update({ older: 'loading' });
      try {
        const next = await page(cursor);
        cursor = next.cursor;
        update({
          feed: withOlder(store.get().feed, next.events.map(changeLine)),
          older: cursor === undefined ? 'all' : 'more',
        });
      } catch {
        update({ older: 'more' });
      }
    },
  };
}

const LATE_MS = 120_000;

function batched(tell: (came: readonly Committed[]) => void): (one: Committed) => void {
  let waiting: Committed[] = [];
  return one => {
    if (waiting.length === 0)
      setTimeout(() => {
        const came = waiting;
        waiting = [];
        tell(came);
      }, DRAWN_EVERY_MS);
    waiting.push(one);
  };
}
