import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ChangeLine } from '../model/change-line.ts';
import { listWindow, scrollTo } from '../model/list-window.ts';
import { addressOf } from '../model/routes.ts';
import { What, Where } from './change.tsx';
import { Ago } from './times.tsx';

interface Props {
  readonly lines: readonly ChangeLine[];
  readonly showProcess: boolean;
  /** Called when the end of the list is almost visible. */
  readonly onEnd: () => void;
}

/** A list of thousands of lines that renders only the visible ones. After scrolling down, the visible lines stay in
 *  place while new ones are added above. */
export function LiveList({ lines, showProcess, onEnd }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const { viewport, measure } = useViewport(box);
  const [active, setActive] = useState<string>();
  const { scrollTop, height, rowHeight } = viewport;
  const newest = useStablePosition(box, lines, rowHeight, measure);
  const count = lines.length;
  const shown = listWindow({ scrollTop, height, rowHeight, count });
  const activeIndex = lines.findIndex(({ id }) => id === active);
  const focusOn = useFocusOn(box);
  const isNearEnd = shown.end >= count && scrollTop > 0;
  useEffect(() => {
    if (isNearEnd && count > 0) onEnd();
  }, [isNearEnd, count, onEnd]);
  const rendered = renderedRows(shown, activeIndex);
  const go = (index: number) => {
    const line = lines[Math.max(0, Math.min(count - 1, index))];
    const { current } = box;
    if (!line || !current) return;
    current.scrollTop = scrollTo(lines.indexOf(line), { scrollTop: current.scrollTop, height, rowHeight });
    setActive(line.id);
    measure();
    focusOn(line.id);
  };
  const first = lines[activeIndex < 0 ? shown.first : activeIndex]?.id;
  return (
    <div class="live-list">
      {newest > 0 && (
        <button type="button" class="newer" onClick={() => go(0)}>
          ↑ {newest} new
        </button>
      )}
      <div ref={box} class="scroll" onScroll={measure}>
        <ul
          class="rows"
          aria-label="Changes, newest first"
          style={{ height: `${count * rowHeight}px` }}
          onKeyDown={event =>
            keyed(event, activeIndex, { go, page: Math.max(1, Math.floor(height / rowHeight) - 1), count })
          }
        >
          {rendered.map(index => {
            const line = lines[index] as ChangeLine;
            return (
              <li
                key={line.id}
                class="row"
                style={{ transform: `translateY(${index * rowHeight}px)` }}
                aria-setsize={count}
                aria-posinset={index + 1}
              >
                <Row
                  line={line}
                  showProcess={showProcess}
                  isFirst={line.id === first}
                  onFocus={() => setActive(line.id)}
                />
              </li>
            );
          })}
        </ul>
      </div>
    </div>
  );
}

function Row({
  line,
  showProcess,
  isFirst,
  onFocus,
}: {
  line: ChangeLine;
  showProcess: boolean;
  isFirst: boolean;
  onFocus: () => void;
}) {
  return (
    <a
      class={`line ${line.type.startsWith('source.') ? 'line-source' : ''}`}
      href={addressOf('event', line.id)}
      data-id={line.id}
      tabIndex={isFirst ? 0 : -1}
      onFocus={onFocus}
    >
      <span class="where">
        {/* A line about the process itself shows its name anyway. */}
        {showProcess && (line.project ?? line.definition) && <bdi class="process-tag">{line.process}</bdi>}
        <Where line={line} />
      </span>
      <span class="what">
        <What line={line} />
      </span>
      <span class="when">
        <Ago at={line.at} />
      </span>
    </a>
  );
}

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

/** Focuses a row, at once or as soon as it is rendered: with a delay, the next key would still go to the former row. */
function useFocusOn(box: { readonly current: HTMLElement | null }): (id: string) => void {
  const wanted = useRef<string | undefined>(undefined);
  const focus = (id: string) => box.current && rowOf(box.current, id)?.focus({ preventScroll: true });
  useLayoutEffect(() => {
    if (wanted.current !== undefined) focus(wanted.current);
    wanted.current = undefined;
  });
  return id => {
    wanted.current = id;
    focus(id);
  };
}

/** The scroll position and the visible height. */
function useViewport(box: { readonly current: HTMLElement | null }) {
  const [viewport, setViewport] = useState({ scrollTop: 0, height: 600, rowHeight: 34 });
  const measure = () => {
    const { current } = box;
    if (!current) return;
    const rowHeight = Number.parseFloat(getComputedStyle(current).getPropertyValue('--row')) || 34;
    const { scrollTop, clientHeight: height } = current;
    setViewport(known =>
      known.scrollTop === scrollTop && known.height === height && known.rowHeight === rowHeight
        ? known
        : { scrollTop, height, rowHeight },
    );
  };
  // Once per box: `measure` has no dependencies.
  useLayoutEffect(() => {
    measure();
    const observer = new ResizeObserver(measure);
    if (box.current) observer.observe(box.current);
    return () => observer.disconnect();
  }, [box]);
  return { viewport, measure };
}

/** Keeps the visible lines in place by scrolling past new ones, and counts those since the top was last visible. */
function useStablePosition(
  box: { readonly current: HTMLElement | null },
  lines: readonly ChangeLine[],
  rowHeight: number,
  measure: () => void,
): number {
  const known = useRef<{ readonly top: string | undefined; readonly seen: string | undefined }>({
    top: undefined,
    seen: undefined,
  });
  const top = lines[0]?.id;
  const isAtTop = (box.current?.scrollTop ?? 0) < rowHeight;
  if (isAtTop) known.current = { ...known.current, seen: top };
  // Only a new first line moves the others.
  useLayoutEffect(() => {
    const before = lines.findIndex(({ id }) => id === known.current.top);
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
        lines.findIndex(({ id }) => id === known.current.seen),
      );
}
