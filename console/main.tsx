import { render } from 'preact';
import { App } from './app.tsx';
import { tokenIn } from './model/routes.ts';

const KEPT_AS = 'changewire-token';

/** The address brings the token once. It is kept for this tab, and taken out of the address, where it could be read over a shoulder, or
 *  copied together with it. */
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
