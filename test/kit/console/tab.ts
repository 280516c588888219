import axe, { type AxeResults } from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

/** A tab in a window of its own, and what went wrong in it. */
export interface Tab {
  readonly page: Page;
  /** Errors of scripts, what the Content-Security-Policy forbade, and requests that left the machine. */
  readonly wrong: readonly string[];
  close(): Promise<void>;
}

export const WIDE = { width: 1600, height: 1000 };
export const NARROW = { width: 400, height: 800 };

/** Opens `address` in a window without anything of another one. */
export async function openTab(
  browser: Browser,
  address: string,
  options: BrowserContextOptions = {},
): Promise<Tab> {
  const context = await browser.newContext({
    viewport: WIDE,
    reducedMotion: 'reduce',
    timezoneId: 'Europe/Berlin',
    locale: 'en-GB',
    ...options,
  });
  const wrong: string[] = [];
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  page.on('pageerror', error => wrong.push(`error: ${error.message}`));
  page.on('console', message => {
    // Some tests are about requests that nobody answers, so these are no errors.
    if (message.type() === 'error' && !/net::ERR_CONNECTION|Failed to load resource/.test(message.text()))
      wrong.push(`console: ${message.text()}`);
  });
  page.on('request', request => {
    const url = new URL(request.url());
    if (url.hostname !== '127.0.0.1' && !['data:', 'blob:', 'file:'].includes(url.protocol))
      wrong.push(`request: ${url.href}`);
  });
  await page.goto(address);
  return { page, wrong, close: () => context.close() };
}

/** axe's findings: accessibility problems, by rule and element. */
export async function axeFindings(page: Page): Promise<string[]> {
  // Evaluated by the debugger, because the page's policy forbids scripts that aren't its own.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResults>('axe.run(document)');
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} (${help}): ${target.join(' ')} ${failureSummary ?? ''}`),
  );
}

/** How much wider than its window the page is, in pixels. */
export async function overflow(page: Page): Promise<number> {
  const { scrollWidth, clientWidth } = await page.evaluate<{ scrollWidth: number; clientWidth: number }>(
    '({ scrollWidth: document.documentElement.scrollWidth, clientWidth: document.documentElement.clientWidth })',
  );
  return scrollWidth - clientWidth;
}

/** Goes to a place of the page, such as `#/history?process=launch`, as its links do. */
export async function goTo(page: Page, place: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(place)}`);
}
