import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import { messageOf, NotAllowed } from './api.ts';
import type { Live } from './live.ts';
import type { Session } from './session.ts';
import type { StatusState } from './status.ts';
import { createStore, type Store, useStore } from './store.ts';

/** The context of each page. */
export interface World {
  readonly session: Session;
  readonly live: Live;
  readonly status: Store<StatusState>;
  /** Polls the status now. */
  refresh(): void;
}

export const WorldContext = createContext<World | undefined>(undefined);

export function useWorld(): World {
  const world = useContext(WorldContext);
  if (!world) throw new Error('Missing WorldContext.');
  return world;
}

/** The answer to a page's request. If a later request failed, it has the older answer and the error. */
export interface Asked<Answer> {
  readonly answer: Answer | undefined;
  readonly error: string | undefined;
  again(): void;
}

/** Sends a request when `key` changes, and every `interval` ms if given. Answers to a former key are dropped. */
export function useAsked<Answer>(
  key: string,
  ask: (signal: AbortSignal) => Promise<Answer>,
  interval?: number,
): Asked<Answer> {
  const { session } = useWorld();
  const [state, setState] = useState<{ key: string; answer?: Answer; error?: string }>({ key });
  const [round, setRound] = useState(0);
  // `ask` is not a dependency: it is a new function at each rendering, and `key` identifies the request.
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    const setError = (error: string | undefined) =>
      error !== undefined && setState(known => ({ ...(known.key === key ? known : { key }), error }));
    const run = async () => {
      do {
        const answer = await session.persist(() => ask(signal), signal, setError);
        setState({ key, answer });
        if (interval !== undefined) await session.pause(interval, signal);
      } while (interval !== undefined && !signal.aborted);
    };
    run().catch(error => {
      if (!signal.aborted && !(error instanceof NotAllowed)) setError(messageOf(error));
    });
    return () => ending.abort();
  }, [key, round, interval, session]);
  const isOfKey = state.key === key;
  return {
    answer: isOfKey ? state.answer : undefined,
    error: isOfKey ? state.error : undefined,
    again: () => setRound(number => number + 1),
  };
}

const seconds = createStore(Date.now());
setInterval(() => {
  if (document.visibilityState === 'visible') seconds.set(Date.now());
}, 1_000);

/** The time, updated each second. */
export function useNow(): number {
  return useStore(seconds);
}
