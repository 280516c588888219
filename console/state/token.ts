import { tokenIn } from '../model/routes.ts';

const KEPT_AS = 'changewire-token';

/** Takes the token from the address, which brings it once. It is kept for this tab, and removed from the
 *  address, where somebody could see it, or copy it with a link. */
export function takeToken(): string | undefined {
  const brought = tokenIn(location.hash);
  if (brought === undefined) return sessionStorage.getItem(KEPT_AS) ?? undefined;
  keepToken(brought);
  history.replaceState(null, '', '#/now');
  return brought;
}

/** Keeps the token for this tab, also when it is loaded again. */
export function keepToken(token: string): void {
  sessionStorage.setItem(KEPT_AS, token);
}

/** Between the tabs of this address in one browser. */
const CHANNEL = 'changewire-token';
type Message = { readonly kind: 'wanted' | 'opened' } | { readonly kind: 'token'; readonly token: string };

/** Hands this tab's token over to tabs of the same address that want it. `prove` rejects unless the server that answers now
 *  knows the token: a program that has taken the run's port could otherwise have its page ask for it. */
export function shareToken(prove: () => Promise<unknown>, ending: AbortSignal): void {
  const channel = new BroadcastChannel(CHANNEL);
  const send = (message: Message) => channel.postMessage(message);
  channel.addEventListener('message', async ({ data }: MessageEvent<Message>) => {
    if (data.kind !== 'wanted') return;
    const isProven = await prove().then(
      () => true,
      () => false,
    );
    const token = sessionStorage.getItem(KEPT_AS);
    if (isProven && token !== null && !ending.aborted) send({ kind: 'token', token });
  });
  ending.addEventListener('abort', () => channel.close());
  send({ kind: 'opened' });
}

/** Waits until another tab hands its token over, and keeps it: `kept` is then called. A token that this tab has already is not taken.
 *  @returns what ends the waiting */
export function awaitToken(kept: () => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  const send = (message: Message) => channel.postMessage(message);
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data.kind === 'opened') send({ kind: 'wanted' });
    if (data.kind !== 'token' || data.token === sessionStorage.getItem(KEPT_AS)) return;
    keepToken(data.token);
    kept();
  });
  send({ kind: 'wanted' });
  return () => channel.close();
}
