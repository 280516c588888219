import { render } from 'preact';
import { App } from './app.tsx';
import { tokenIn } from './model/routes.ts';
import { takeToken } from './state/token.ts';

const page = document.getElementById('page');
if (page) {
  page.textContent = '';
  const draw = () => render(<App token={takeToken()} />, page);
  draw();
  addEventListener('hashchange', () => tokenIn(location.hash) !== undefined && draw());
}
