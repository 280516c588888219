import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { listWindow } from '../model/list-window.ts';
import { followedLink } from './use-route.ts';

interface Props<Row> {
  /** The name of the list. */
  readonly label: string;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly hrefOf: (row: Row) => string;
  readonly classOf?: (row: Row) => string;
  /** The content of a row. All rows have the same height. */
  readonly children: (row: Row) => ComponentChildren;
  /** The page scrolls, instead of the list. */
  readonly isPage?: boolean;
  /** Called when the end of the list is almost visible. */
  readonly onEnd?: () => void;
}

/** A list of thousands of links that renders only the visible ones. After scrolling down in the list, the visible rows
 *  stay in place while new ones are added above. Back focuses the row that was followed. */
export function LongList<Row>(props: Props<Row>) {
  const { label, rows, keyOf, hrefOf, classOf, children, isPage = false, onEnd } = props;
  const box = useRef<HTMLDivElement>(null);
  const { viewport, measure } = useViewport(box, isPage);
  const [active, setActive] = useState<string>();
  const { scrollTop, height, rowHeight } = viewport;
  const newest = useStablePosition(isPage ? NO_BOX : box, rows, keyOf, rowHeight, measure);
  const count = rows.length;
  const shown = listWindow({ scrollTop, height, rowHeight, count });
  const activeIndex = active === undefined ? -1 : rows.findIndex(row => keyOf(row) === active);
  const focusOn = useFocusOn(box, measure);
  const isNearEnd = shown.end >= count && scrollTop > 0;
  useEffect(() => {
    if (isNearEnd && count > 0) onEnd?.();
  }, [isNearEnd, count, onEnd]);
  const rendered = renderedRows(shown, activeIndex);
  const go = (index: number) => {
    const row = rows[Math.max(0, Math.min(count - 1, index))];
    if (row === undefined) return;
    setActive(keyOf(row));
    focusOn(keyOf(row));
  };
  useReturn(rows, hrefOf, go);
  const first = rows[activeIndex < 0 ? shown.first : activeIndex];
  return (
    <div class={`live-list ${isPage ? 'of-page' : ''}`}>
      {newest > 0 && (
        <button type="button" class="newer" onClick={() => go(0)}>
          ↑ {newest} new
        </button>
      )}
      <div ref={box} class="scroll" onScroll={measure}>
        <ul
          class="rows"
          aria-label={label}
          style={{ height: `${count * rowHeight}px` }}
          onKeyDown={event =>
            keyed(event, activeIndex, { go, page: Math.max(1, Math.floor(height / rowHeight) - 1), count })
          }
        >
          {rendered.map(index => {
            const row = rows[index] as Row;
            const key = keyOf(row);
            return (
              <li
                key={key}
                class="row"
                style={{ transform: `translateY(${index * rowHeight}px)` }}
                aria-setsize={count}
                aria-posinset={index + 1}
              >
                <a
                  class={`line ${classOf?.(row) ?? ''}`}
                  href={hrefOf(row)}
                  data-id={key}
                  tabIndex={row === first ? 0 : -1}
                  onFocus={() => setActive(key)}
                >
                  {children(row)}
                </a>
              </li>
            );
          })}
        </ul>
      </div>
    </div>
  );
}

const NO_BOX = { current: null };

/** The rows to render: the visible ones, and the one with the focus, which the keyboard needs. */
function renderedRows({ first, end }: { first: number; end: number }, active: number): number[] {
  const rows = Array.from({ length: Math.max(0, end - first) }, (_, index) => first + index);
  return active < 0 || (active >= first && active < end) ? rows : [...rows, active];
}

function rowOf(box: HTMLElement, id: string): HTMLElement | undefined {
  return [...box.querySelectorAll<HTMLElement>('a.line')].find(row => row.dataset.id === id);
}

interface Navigation {
  readonly go: (index: number) => void;
  readonly page: number;
  readonly count: number;
}

function keyed(event: KeyboardEvent, active: number, { go, page, count }: Navigation): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: active + 1,
    j: active + 1,
    ArrowUp: active - 1,
    k: active - 1,
    PageDown: active + page,
    PageUp: active - page,
    Home: 0,
    End: count - 1,
  };
  const target = targets[event.key];
  if (target === undefined) return;
  event.preventDefault();
  go(target);
}

/** Focuses a row and makes it visible, at once or as soon as it is rendered: with a delay, the next key would still go
 *  to the former row. */
function useFocusOn(
  box: { readonly current: HTMLElement | null },
  measure: () => void,
): (key: string) => void {
  const wanted = useRef<string | undefined>(undefined);
  const focus = () => {
    if (wanted.current === undefined || !box.current) return;
    const row = rowOf(box.current, wanted.current);
    if (!row) return;
    wanted.current = undefined;
    row.focus({ preventScroll: true });
    row.closest('.row')?.scrollIntoView({ block: 'nearest' });
    measure();
  };
  useLayoutEffect(focus);
  return key => {
    wanted.current = key;
    focus();
  };
}

/** After Back, goes to the row that was followed, unless the user has moved the focus by then. */
function useReturn<Row>(rows: readonly Row[], hrefOf: (row: Row) => string, go: (index: number) => void) {
  const wanted = useRef(followedLink());
  useEffect(() => {
    if (wanted.current === undefined) return;
    const index = rows.findIndex(row => hrefOf(row) === wanted.current);
    const { activeElement } = document;
    const isFree = activeElement === document.body || activeElement?.tagName === 'H1';
    if (index >= 0 && isFree) go(index);
    if (index >= 0 || !isFree) wanted.current = undefined;
  }, [rows]);
}

/** The scroll position within the list and the visible height, of the box or of the page. */
function useViewport(box: { readonly current: HTMLElement | null }, isPage: boolean) {
  const [viewport, setViewport] = useState({ scrollTop: 0, height: 600, rowHeight: 34 });
  const measure = () => {
    const { current } = box;
    if (!current) return;
    const rowHeight = Number.parseFloat(getComputedStyle(current).getPropertyValue('--row')) || 34;
    const scrollTop = isPage ? Math.max(0, -current.getBoundingClientRect().top) : current.scrollTop;
    const height = isPage ? innerHeight : current.clientHeight;
    setViewport(known =>
      known.scrollTop === scrollTop && known.height === height && known.rowHeight === rowHeight
        ? known
        : { scrollTop, height, rowHeight },
    );
  };
  // Once per box: `measure` has no other dependencies that change.
  useLayoutEffect(() => {
    measure();
    const observer = new ResizeObserver(measure);
    // The page grows when content above the list is added, which moves it.
    const observed = isPage ? document.body : box.current;
    if (observed) observer.observe(observed);
    if (isPage) addEventListener('scroll', measure, { passive: true });
    if (isPage) addEventListener('resize', measure);
    return () => {
      observer.disconnect();
      removeEventListener('scroll', measure);
      removeEventListener('resize', measure);
    };
  }, [box, isPage]);
  return { viewport, measure };
}

/** Keeps the visible rows in place by scrolling past new ones, and counts those since the top was last visible. */
function useStablePosition<Row>(
  box: { readonly current: HTMLElement | null },
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  rowHeight: number,
  measure: () => void,
): number {
  const known = useRef<{ readonly top: string | undefined; readonly seen: string | undefined }>({
    top: undefined,
    seen: undefined,
  });
  const top = rows[0] === undefined ? undefined : keyOf(rows[0]);
  const isAtTop = (box.current?.scrollTop ?? 0) < rowHeight;
  if (isAtTop) known.current = { ...known.current, seen: top };
  // Only a new first row moves the others.
  useLayoutEffect(() => {
    const before = rows.findIndex(row => keyOf(row) === known.current.top);
    if (box.current && before > 0 && box.current.scrollTop >= rowHeight) {
      box.current.scrollTop += before * rowHeight;
      measure();
    }
    known.current = { ...known.current, top };
  }, [top]);
  return isAtTop
    ? 0
    : Math.max(
        0,
        rows.findIndex(row => keyOf(row) === known.current.seen),
      );
}
