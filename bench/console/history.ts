import type { Browser } from 'playwright-core';
import { pageAddress } from '../../local/operate/address.ts';
import { createPage } from '../../local/operate/page.ts';
import { startOperationsServer } from '../../local/operate/server.ts';
import { growingJournal } from './operations.ts';
import { type Frames, frames, readAll, startFrames } from './page.ts';
import { mostWork } from './work.ts';

export interface HistoryLoad {
  /** From the link to the first change, and to all of them, in ms. */
  readonly first: number;
  readonly all: number;
  /** The elements of the page once all are loaded. */
  readonly elements: number;
  readonly scrolling: Frames;
  /** The longest work between two frames while scrolling, in ms. */
  readonly work: number;
}

/** Opens the history of as many events, with two changes each, and scrolls through it. */
export async function loadHistory(browser: Browser, events: number): Promise<HistoryLoad> {
  const journal = growingJournal(Date.now);
  journal.add(events);
  const server = await startOperationsServer(journal.operations, {
    who: 'bench',
    page: createPage(),
    onError: error => process.stderr.write(`${error}\n`),
  });
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  try {
    await page.goto(pageAddress(server));
    await readAll(page, events);
    const begin = Date.now();
    await page.evaluate("location.hash = '#/history?since=last-hour'");
    await page.locator('a.line:not(.line-head)').first().waitFor();
    const first = Date.now() - begin;
    const text = `${(2 * events).toLocaleString('en')} changes in`;
    await page.locator('[role=status]', { hasText: new RegExp(`^${text} \\d+ projects$`) }).waitFor();
    const all = Date.now() - begin;
    const elements = await page.evaluate<number>("document.querySelectorAll('*').length");
    const scroll = async (by: number) => {
      for (let turn = 0; turn < 40; turn += 1) {
        await page.mouse.wheel(0, by);
        await page.waitForTimeout(100);
      }
    };
    await startFrames(page);
    await scroll(3_000);
    const scrolling = await frames(page);
    return { first, all, elements, scrolling, work: await mostWork(browser, page, () => scroll(-3_000)) };
  } finally {
    await page.close();
    await server.stop();
  }
}
