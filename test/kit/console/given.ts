import type { Page } from 'playwright-core';
import type { Run } from './run.ts';
import type { openTab, Tab } from './tab.ts';

/** What each of these tests gets. */
export interface Given {
  run(): Run;
  /** Opens the console in a window of its own, once it is connected; the test fails if anything goes wrong there. */
  open(options?: Parameters<typeof openTab>[2], place?: string): Promise<Page>;
  /** The same, at any address. */
  openAt(address: string): Promise<Tab['page']>;
}

/** The lines of the live view. */
export const stream = (page: Page) => page.locator('a.line');

/** One line of text. */
export const flat = (text: string) => text.replaceAll(/\s+/g, ' ').trim();

/** For `waitFor` and the like: the machine may be busy with other things. */
export const SOON = { timeout: 10_000 };
