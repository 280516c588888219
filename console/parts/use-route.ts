import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Route, readRoute } from '../model/routes.ts';

/** The route in the address. A change of page scrolls to the top and focuses the heading, like a page load; Back
 *  focuses the link that was followed. */
export function useRoute(): Route {
  const [route, setRoute] = useState(() => readRoute(location.hash));
  useLayoutEffect(() => {
    const changed = () => setRoute(readRoute(location.hash));
    addEventListener('hashchange', changed);
    addEventListener('click', rememberLink, true);
    return () => {
      removeEventListener('hashchange', changed);
      removeEventListener('click', rememberLink, true);
    };
  }, []);
  const { project, task, record } = route.query;
  const place = JSON.stringify([route.page, route.of, project, task, record]);
  const isFirst = useRef(true);
  // In a layout effect: later, the heading would take the focus from where the user has moved it by then.
  useLayoutEffect(() => {
    const heading = document.querySelector<HTMLElement>('main h1');
    document.title = `${heading?.textContent ?? 'Changewire'} · Changewire`;
    if (isFirst.current) return;
    scrollTo(0, 0);
    heading?.focus({ preventScroll: true });
  }, [place]);
  useEffect(() => {
    const wasFirst = isFirst.current;
    isFirst.current = false;
    if (!wasFirst) return whileFree(() => focusLink(followedLink()) || focusHeading());
  }, [place]);
  return route;
}

/** The address of the link that was followed from this entry of the browser's history, after Back. */
export function followedLink(): string | undefined {
  const state: unknown = history.state;
  if (typeof state !== 'object' || state === null || !('followed' in state)) return undefined;
  return typeof state.followed === 'string' ? state.followed : undefined;
}

/** Calls `focus` now and whenever the page renders more, until it returns true or the user has moved the focus.
 *  @returns a function that ends this */
function whileFree(focus: () => boolean): () => void {
  const main = document.getElementById('main');
  const ending = new AbortController();
  const render = () => {
    const { activeElement } = document;
    const isFree = activeElement === document.body || activeElement?.tagName === 'H1';
    if (!isFree || focus()) ending.abort();
  };
  const observer = new MutationObserver(render);
  const { signal } = ending;
  signal.addEventListener('abort', () => observer.disconnect());
  for (const type of ['keydown', 'pointerdown'])
    addEventListener(type, () => ending.abort(), { signal, capture: true });
  if (main) observer.observe(main, { childList: true, subtree: true });
  render();
  return () => ending.abort();
}

function focusLink(link: string | undefined): boolean {
  const found = link && document.querySelector<HTMLElement>(`main a[href="${CSS.escape(link)}"]`);
  if (found) found.focus();
  return Boolean(found);
}

/** Loaded content may have replaced the heading that had the focus. */
function focusHeading(): false {
  if (document.activeElement === document.body)
    document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
  return false;
}

function rememberLink({ target }: Event): void {
  const link = target instanceof Element ? target.closest('main a[href^="#/"]') : null;
  if (link) history.replaceState({ followed: link.getAttribute('href') }, '');
}
