import { backOff } from '../model/backoff.ts';
import { type Ask, askWith, Disconnected, messageOf, NotAllowed } from './api.ts';
import { createStore, type Store } from './store.ts';
import { isReadOnly, keepToken } from './token.ts';

/** The state of the connection. */
export type Connection =
  | { readonly state: 'connecting' | 'connected' }
  | { readonly state: 'disconnected' | 'not-allowed'; readonly since: number };

/** Requests and pauses of all pages. */
export interface Session {
  readonly ask: Ask;
  readonly connection: Store<Connection>;
  /** The server refuses changes: the page shows no buttons for them. */
  readonly isReadOnly: boolean;
  /** Repeats a request until it succeeds, also after a refusal. `onFailure` is called with the message of each failure;
   *  with undefined without a connection, and after success.
   *  @throws NotAllowed, or an AbortError */
  persist<Answer>(
    once: () => Promise<Answer>,
    signal: AbortSignal,
    onFailure?: (message: string | undefined) => void,
  ): Promise<Answer>;
  /** Waits. Ends early when the page becomes visible or the network returns. */
  pause(ms: number, signal?: AbortSignal): Promise<void>;
  /** Ends all pauses. */
  retryNow(): void;
}

/** A session that lasts until `ending` aborts. */
export function createSession(token: string, ending: AbortSignal): Session {
  const connection = createStore<Connection>({ state: 'connecting' });
  const asking = askWith(token, fetch.bind(globalThis), keepToken);
  const wakeUps = new EventTarget();
  const ask: Ask = async (asked, signal) => {
    try {
      const answer = await asking(asked, signal);
      set(connection, 'connected');
      return answer;
    } catch (error) {
      if (!signal?.aborted) setFailed(connection, error);
      throw error;
    }
  };
  const retryNow = () => wakeUps.dispatchEvent(new Event('retry'));
  addEventListener('online', retryNow, { signal: ending });
  document.addEventListener('visibilitychange', retryNow, { signal: ending });
  const pause = (ms: number, signal?: AbortSignal) => paused(ms, wakeUps, signal);
  return {
    ask,
    connection,
    isReadOnly: isReadOnly(token),
    pause,
    retryNow,
    persist: async (once, signal, onFailure = () => undefined) => {
      for (let failures = 1; ; failures += 1) {
        try {
          const answer = await once();
          onFailure(undefined);
          return answer;
        } catch (error) {
          if (signal.aborted || error instanceof NotAllowed) throw error;
          onFailure(error instanceof Disconnected ? undefined : messageOf(error));
          await pause(backOff(failures), signal);
        }
      }
    },
  };
}

function setFailed(connection: Store<Connection>, error: unknown): void {
  if (error instanceof NotAllowed) set(connection, 'not-allowed');
  else if (error instanceof Disconnected) set(connection, 'disconnected');
  else set(connection, 'connected');
}

function set(connection: Store<Connection>, state: Connection['state']): void {
  if (connection.get().state === state) return;
  if (state === 'disconnected' || state === 'not-allowed') connection.set({ state, since: Date.now() });
  else connection.set({ state });
}

/** A pause. It lasts while the page is hidden, so that a hidden page sends no requests. */
function paused(ms: number, wakeUps: EventTarget, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const due = Date.now() + ms;
    let timer: ReturnType<typeof setTimeout>;
    const end = (settle: () => void) => {
      clearTimeout(timer);
      wakeUps.removeEventListener('retry', wake);
      signal?.removeEventListener('abort', abort);
      settle();
    };
    const abort = () => end(() => reject(signal?.reason));
    const isOver = () => Date.now() >= due && document.visibilityState === 'visible';
    const wake = () => document.visibilityState === 'visible' && end(resolve);
    const check = () => {
      if (isOver()) end(resolve);
      else timer = setTimeout(check, 1_000);
    };
    if (signal?.aborted) return reject(signal.reason);
    timer = setTimeout(check, ms);
    wakeUps.addEventListener('retry', wake);
    signal?.addEventListener('abort', abort);
  });
}
