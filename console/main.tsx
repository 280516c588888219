import { render } from 'preact';
import { App } from './app.tsx';
import { tokenIn } from './model/routes.ts';

const KEPT_AS = 'changewire-token';

/** Takes the token from the address, which brings it once. It is kept for this tab, and removed from the
 *  address, where somebody could see it, or copy it with a link. */
function takeToken(): string | undefined {
  const brought = tokenIn(location.hash);
  if (brought === undefined) return sessionStorage.getItem(KEPT_AS) ?? undefined;
  sessionStorage.setItem(KEPT_AS, brought);
  history.replaceState(null, '', '#/now');
  return brought;
}

const page = document.getElementById('page');
if (page) {
  page.textContent = '';
  const draw = () => render(<App token={takeToken()} />, page);
  draw();
  addEventListener('hashchange', () => tokenIn(location.hash) !== undefined && draw());
}
