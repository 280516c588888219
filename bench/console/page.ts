import type { Page } from 'playwright-core';

export interface Frames {
  readonly count: number;
  /** The longest time between two frames, in ms. */
  readonly longest: number;
  /** How many took more than 50 ms. */
  readonly slow: number;
}

/** Counts the frames from now on. */
export async function startFrames(page: Page): Promise<void> {
  await page.evaluate(`(() => {
    const all = (globalThis.frames_ = []);
    let last;
    const frame = now => {
      if (last !== undefined) all.push(now - last);
      last = now;
      if (globalThis.frames_ === all) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  })()`);
}

export async function frames(page: Page): Promise<Frames> {
  const all = await page.evaluate<number[]>('globalThis.frames_.slice(2)');
  return {
    count: all.length,
    longest: Math.max(0, ...all),
    slow: all.filter(ms => ms > 50).length,
  };
}

/** Bytes that the page's scripts hold after a garbage collection. */
export async function memory(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  try {
    await session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await session.send('Runtime.getHeapUsage');
    return usedSize;
  } finally {
    await session.detach();
  }
}

/** Waits until the live view has this number of events. */
export async function readAll(page: Page, count: number): Promise<void> {
  const text = count.toLocaleString('en');
  await page.locator('.stream-head', { hasText: text }).waitFor({ timeout: 120_000 });
}

/** Uses the live view as a user does who searches for something: scrolls, pauses it, searches, and comes back. */
export async function wander(page: Page, forMs: number): Promise<void> {
  const end = Date.now() + forMs;
  const search = page
    .getByRole('searchbox')
    .or(page.getByPlaceholder(/^Search/))
    .first();
  const list = page.locator('a.line').first();
  for (let round = 0; Date.now() < end; round += 1) {
    await list.hover();
    for (let turn = 0; turn < 20 && Date.now() < end; turn += 1) {
      await page.mouse.wheel(0, round % 2 === 0 ? 1_500 : -1_500);
      await page.waitForTimeout(100);
    }
    await search.fill(['', 'contract 12', 'aurora', 'nothing like it'][round % 4] ?? '');
    await page.waitForTimeout(500);
    await search.fill('');
    await page.waitForTimeout(1_000);
  }
}
