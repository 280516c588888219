import { READ_ONLY } from '../../local/operate/seal.ts';
import { tokenIn } from '../model/routes.ts';

const STORAGE_KEY = 'changewire-token';

/** Takes the token from the address, keeps it, and removes it from the address, where it could be seen or copied with
 *  a link. */
export function takeToken(): string | undefined {
  const token = tokenIn(location.hash);
  if (token === undefined) return keptToken();
  keepToken(token);
  history.replaceState(null, '', '#/now');
  return token;
}

/** Keeps the token for this tab, also after a reload; a read-only one for this browser, so that bookmarks and shared
 *  links work at any time. The other one is not: a program that takes the port could read it from the browser. */
export function keepToken(token: string): void {
  sessionStorage.setItem(STORAGE_KEY, token);
  if (isReadOnly(token)) localStorage.setItem(STORAGE_KEY, token);
}

function keptToken(): string | undefined {
  return sessionStorage.getItem(STORAGE_KEY) ?? localStorage.getItem(STORAGE_KEY) ?? undefined;
}

export function isReadOnly(token: string): boolean {
  return token.startsWith(READ_ONLY);
}

/** Whether this tab has no token of its own, but that of the browser. */
export function isOfBrowser(): boolean {
  return sessionStorage.getItem(STORAGE_KEY) === null;
}

/** Connects the tabs of this origin in a browser. */
const CHANNEL = 'changewire-token';
type Message = { readonly kind: 'wanted' | 'opened' } | { readonly kind: 'token'; readonly token: string };

/** Passes this tab's token to tabs of the same origin that request it. `prove` rejects unless the server knows the
 *  token: otherwise a program that has taken over the port could serve a page that requests it. */
export function shareToken(prove: () => Promise<unknown>, ending: AbortSignal): void {
  const channel = new BroadcastChannel(CHANNEL);
  const send = (message: Message) => channel.postMessage(message);
  channel.addEventListener('message', async ({ data }: MessageEvent<Message>) => {
    if (data.kind !== 'wanted') return;
    const isProven = await prove().then(
      () => true,
      () => false,
    );
    const token = sessionStorage.getItem(STORAGE_KEY);
    if (isProven && token !== null && !ending.aborted) send({ kind: 'token', token });
  });
  ending.addEventListener('abort', () => channel.close());
  send({ kind: 'opened' });
}

/** Waits for a new token from another tab, keeps it, and calls `kept`.
 *  @returns a function that ends the waiting */
export function awaitToken(kept: () => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  const send = (message: Message) => channel.postMessage(message);
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data.kind === 'opened') send({ kind: 'wanted' });
    if (data.kind !== 'token' || data.token === keptToken()) return;
    keepToken(data.token);
    kept();
  });
  send({ kind: 'wanted' });
  return () => channel.close();
}
