import type { Browser, Page } from 'playwright-core';

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** When it began, in µs. */
  readonly ts: number;
  /** Its processor time, in µs. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

const CATEGORIES = ['devtools.timeline', 'disabled-by-default-devtools.timeline', '__metadata'];

/** The longest work of the page's main thread between two frames during `act`, in ms of processor time:
 *  scripts, layout, painting. Wall-clock time would also count other work on the machine. `startFrames`
 *  must have been called. */
export async function mostWork(browser: Browser, page: Page, act: () => Promise<void>): Promise<number> {
  await browser.startTracing(page, { categories: CATEGORIES });
  await act();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
    traceEvents: TraceEvent[];
  };
  const mains = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(threadOf),
  );
  const ofPage = traceEvents
    .filter(event => mains.has(threadOf(event)))
    .toSorted((one, other) => one.ts - other.ts);
  let [most, work] = [0, 0];
  for (const { name, tdur = 0 } of ofPage) {
    if (name === 'FireAnimationFrame') work = 0;
    else if (name === 'RunTask') work += tdur;
    most = Math.max(most, work);
  }
  if (most === 0) throw new Error('The trace has no data of the page.');
  return most / 1000;
}

function threadOf({ pid, tid }: TraceEvent): string {
  return `${pid}/${tid}`;
}
