import type { Browser, Page } from 'playwright-core';

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** µs. */
  readonly ts: number;
  /** µs of the processor. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

const CATEGORIES = ['devtools.timeline', 'disabled-by-default-devtools.timeline', '__metadata'];

/** The most that the page's main thread worked between two frames while `act` went on, in ms of the processor: scripts, layout, painting.
 *  On a machine that does other things at the same time, the clock says more about those. `startFrames` must have been called. */
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
  if (most === 0) throw new Error('The trace tells nothing of the page.');
  return most / 1000;
}

function threadOf({ pid, tid }: TraceEvent): string {
  return `${pid}/${tid}`;
}
