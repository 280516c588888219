import { follow } from '../../functions/operations/follow.ts';
import { type ChangeLine, changeLine } from '../model/change-line.ts';
import type { Committed } from '../model/committed.ts';
import { emptyFeed, type Feed, MAX_LINES, withNew, withOlder } from '../model/feed.ts';
import { messageOf, NotAllowed } from './api.ts';
import type { Session } from './session.ts';
import { createStore, type Store } from './store.ts';

/** The live view: the latest changes. */
export interface LiveState {
  readonly feed: Feed<ChangeLine>;
  readonly isLoaded: boolean;
  /** Why changes cannot be read now. */
  readonly trouble: string | undefined;
  /** Older changes: `more` exist, `all` are loaded, or they are `loading`. */
  readonly older: 'more' | 'all' | 'loading';
}

export interface Live {
  readonly store: Store<LiveState>;
  older(): Promise<void>;
}

const FIRST_LINES = 100;
/** The shortest time between two renderings. */
const RENDER_INTERVAL_MS = 250;

/** Loads the latest changes, then follows new ones until `signal` aborts: each once, also after a lost connection. */
export function startLive(session: Session, signal: AbortSignal): Live {
  const store = createStore<LiveState>({
    feed: emptyFeed(),
    isLoaded: false,
    trouble: undefined,
    older: 'all',
  });
  const update = (part: Partial<LiveState>) => store.set({ ...store.get(), ...part });
  const setTrouble = (trouble: string | undefined) => store.get().trouble !== trouble && update({ trouble });
  let cursor: string | undefined;
  const page = (from?: string) =>
    session.ask(
      { operation: 'events', limit: FIRST_LINES, ...(from !== undefined && { cursor: from }) },
      signal,
    );
  const run = async () => {
    const first = await session.persist(() => page(), signal, setTrouble);
    cursor = first.cursor;
    const feed = withOlder(emptyFeed<ChangeLine>(), first.events.map(changeLine));
    update({ feed, isLoaded: true, older: cursor === undefined ? 'all' : 'more' });
    // Starts earlier, because an event may become visible after its commit time. The feed drops duplicates.
    const since = new Date(Date.parse(first.at) - LATE_MS).toISOString();
    const add = batched(added => update({ feed: withNew(store.get().feed, added.map(changeLine)) }));
    const following = {
      ask: (asked: Parameters<Parameters<typeof follow>[1]['ask']>[0]) =>
        session.persist(() => session.ask(asked, signal), signal, setTrouble),
      clock: Date.now,
      sleep: session.pause,
      signal,
    };
    for await (const committed of follow({ since }, following)) add(committed);
  };
  run().catch((error: unknown) => {
    if (!signal.aborted && !(error instanceof NotAllowed)) setTrouble(messageOf(error));
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

function batched(flush: (added: readonly Committed[]) => void): (one: Committed) => void {
  let waiting: Committed[] = [];
  return one => {
    if (waiting.length === 0)
      setTimeout(() => {
        const added = waiting;
        waiting = [];
        flush(added);
      }, RENDER_INTERVAL_MS);
    waiting.push(one);
  };
}
