import { backOff } from '../model/backoff.ts';
import { type Ask, askWith, Disconnected, messageOf, NotAllowed } from './api.ts';
import { createStore, type Store } from './store.ts';
import { keepToken } from './token.ts';

/** The state of the connection. */
export type Connection =
  | { readonly state: 'connecting' | 'connected' }
  | { readonly state: 'disconnected' | 'not-allowed'; readonly since: number };

/** What all pages ask and wait with. */
export interface Session {
  readonly ask: Ask;
  readonly connection: Store<Connection>;
  /** Asks again and again, with pauses, until there is an answer: without a connection, and also after a
   *  refusal. `told` is called with each failure.
   *  @throws NotAllowed, or an AbortError */
  persist<Answer>(
    once: () => Promise<Answer>,
    signal: AbortSignal,
    told?: (message: string | undefined) => void,
  ): Promise<Answer>;
  /** Waits; shorter when the page becomes visible again, or the network comes back. */
  pause(ms: number, signal?: AbortSignal): Promise<void>;
  /** Ends all pauses, because somebody wants an answer now. */
  retryNow(): void;
}

/** A session that lasts until `ending` aborts. */
export function createSession(token: string, ending: AbortSignal): Session {
  const connection = createStore<Connection>({ state: 'connecting' });
  const asking = askWith(token, fetch.bind(globalThis), keepToken);
  const alarm = new EventTarget();
  const ask: Ask = async (asked, signal) => {
    try {
      const answer = await asking(asked, signal);
      set(connection, 'connected');
      return answer;
    } catch (error) {
      if (!signal?.aborted) tell(connection, error);
      throw error;
    }
  };
  const retryNow = () => alarm.dispatchEvent(new Event('retry'));
  addEventListener('online', retryNow, { signal: ending });
  document.addEventListener('visibilitychange', retryNow, { signal: ending });
  const pause = (ms: number, signal?: AbortSignal) => paused(ms, alarm, signal);
  return {
    ask,
    connection,
    pause,
    retryNow,
    persist: async (once, signal, told = () => undefined) => {
      for (let failures = 1; ; failures += 1) {
        try {
          const answer = await once();
          told(undefined);
          return answer;
        } catch (error) {
          if (signal.aborted || error instanceof NotAllowed) throw error;
          told(error instanceof Disconnected ? undefined : messageOf(error));
          await pause(backOff(failures), signal);
        }
      }
    },
  };
}

function tell(connection: Store<Connection>, error: unknown): void {
  if (error instanceof NotAllowed) set(connection, 'not-allowed');
  else if (error instanceof Disconnected) set(connection, 'disconnected');
  else set(connection, 'connected');
}

function set(connection: Store<Connection>, state: Connection['state']): void {
  if (connection.get().state === state) return;
  if (state === 'disconnected' || state === 'not-allowed') connection.set({ state, since: Date.now() });
  else connection.set({ state });
}

/** A pause. It goes on as long as the page is hidden, so that nothing is asked for a page that nobody
 *  sees. */
function paused(ms: number, alarm: EventTarget, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const due = Date.now() + ms;
    let timer: ReturnType<typeof setTimeout>;
    const end = (settle: () => void) => {
      clearTimeout(timer);
      alarm.removeEventListener('retry', wake);
      signal?.removeEventListener('abort', abort);
      settle();
    };
    const abort = () => end(() => reject(signal?.reason));
    const isOver = () => Date.now() >= due && document.visibilityState === 'visible';
    const wake = () => document.visibilityState === 'visible' && end(resolve);
    const look = () => {
      if (isOver()) end(resolve);
      else timer = setTimeout(look, 1_000);
    };
    if (signal?.aborted) return reject(signal.reason);
    timer = setTimeout(look, ms);
    alarm.addEventListener('retry', wake);
    signal?.addEventListener('abort', abort);
  });
}
