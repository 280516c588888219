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
