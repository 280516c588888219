import { describe, expect, it, onTestFinished } from 'vitest';
import type { Committed } from '../../console/model/committed.ts';
import type { Ask } from '../../console/state/api.ts';
import { type Live, type LiveState, startLive } from '../../console/state/live.ts';
import type { Session } from '../../console/state/session.ts';
import { createStore } from '../../console/state/store.ts';
import { taskEvent } from '../kit/console/events.ts';

/** A journal that answers as the operations do, or nobody, for some requests. */
class Journal {
  readonly events: Committed[] = [];
  failing = 0;
  asked = 0;

  add(...ids: readonly string[]): void {
    for (const id of ids)
      this.events.push(taskEvent({ id, at: new Date().toISOString(), task: { id, name: id } }));
  }

  readonly ask = (async asked => {
    this.asked += 1;
    if (this.failing > 0) {
      this.failing -= 1;
      throw new Error('Nobody answers.');
    }
    type Asked = { [key: string]: string | undefined } & { limit?: number };
    const { order = 'newest-first', limit = 20, cursor = '0', since = '', until = '~' } = asked as Asked;
    const all = this.events.filter(({ committedAt }) => committedAt >= since && committedAt < until);
    const ordered = order === 'newest-first' ? all.toReversed() : all;
    const [from, size] = [Number(cursor), Number(limit)];
    const events = ordered.slice(from, from + size);
    const readTo = events.at(-1)?.committedAt;
    const more = from + size < ordered.length && { cursor: String(from + size) };
    return { at: new Date().toISOString(), events, ...(readTo && { readTo }), ...more };
  }) as Ask;
}

/** As the page has it, without its pauses. */
function sessionOf(journal: Journal): Session {
  const tick = () => new Promise<void>(resolve => setTimeout(resolve));
  return {
    ask: journal.ask,
    connection: createStore({ state: 'connected' }),
    isReadOnly: false,
    pause: async (_, signal) => {
      await tick();
      signal?.throwIfAborted();
    },
    retryNow: () => undefined,
    persist: async (once, signal, told = () => undefined) => {
      for (;;) {
        try {
          const answer = await once();
          told(undefined);
          return answer;
        } catch (error) {
          signal.throwIfAborted();
          told(String(error));
          await tick();
        }
      }
    },
  };
}

function open(journal: Journal): Live {
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  return startLive(sessionOf(journal), ending.signal);
}

async function until({ store }: Live, isSo: (state: LiveState) => boolean): Promise<LiveState> {
  while (!isSo(store.get())) await new Promise<void>(resolve => store.subscribe(resolve));
  return store.get();
}

const idsOf = ({ feed }: LiveState) => feed.lines.map(({ id }) => id);
const names = (count: number, from = 0) => Array.from({ length: count }, (_, index) => `e${from + index}`);

describe('the live stream', () => {
  it('shows the last changes, then those that come, the newest on top', async () => {
    const journal = new Journal();
    journal.add('a', 'b');
    const live = open(journal);
    expect(idsOf(await until(live, ({ isLoaded }) => isLoaded))).toEqual(['b', 'a']);
    journal.add('c');
    expect(idsOf(await until(live, ({ feed }) => feed.lines.length > 2))).toEqual(['c', 'b', 'a']);
  });

  it('reads older ones when it is asked to, down to the first', async () => {
    const journal = new Journal();
    journal.add(...names(250));
    const live = open(journal);
    expect(await until(live, ({ isLoaded }) => isLoaded)).toMatchObject({ older: 'more' });
    // What was committed in the last two minutes is followed anyway.
    await until(live, ({ feed }) => feed.lines.length === 250);
    for (let pages = 0; live.store.get().older !== 'all' && pages < 10; pages += 1) await live.older();
    const state = live.store.get();
    expect([state.older, new Set(idsOf(state)).size, state.feed.lines.length]).toEqual(['all', 250, 250]);
  });

  it('goes on after nobody answered for a while: nothing lost, nothing twice', async () => {
    const journal = new Journal();
    journal.add('a');
    const live = open(journal);
    await until(live, ({ isLoaded }) => isLoaded);
    journal.failing = 5;
    await until(live, ({ trouble }) => trouble !== undefined);
    journal.add(...names(120));
    const state = await until(live, ({ feed }) => feed.lines.length >= 121);
    expect(state.trouble).toBeUndefined();
    expect(idsOf(state).toSorted()).toEqual(['a', ...names(120)].toSorted());
  });

  it('says what is wrong while it is refused, and shows it once that is over', async () => {
    const journal = new Journal();
    journal.failing = 3;
    const live = open(journal);
    expect(await until(live, ({ trouble }) => trouble !== undefined)).toMatchObject({ isLoaded: false });
    expect(await until(live, ({ isLoaded }) => isLoaded)).toMatchObject({ trouble: undefined });
  });
});
