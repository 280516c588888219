import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { SOON } from '../../kit/console/given.ts';

/** What a screen reader calls an element, about; nothing for the page's body, which has the focus where nothing else has it. */
const NAME = `element => {
  if (element === document.body) return '';
  const label = element?.labels?.[0]?.innerText;
  return (element?.getAttribute('aria-label') ?? label ?? element?.innerText ?? '').trim();
}`;
/** What Tab may lead to: in the dialog that is open, else in the page. */
const LED_TO = `[...([...document.querySelectorAll('dialog[open]')].at(-1) ?? document)
  .querySelectorAll('a[href], button:enabled, input:enabled, select:enabled, summary')]`;
const MAX_COUNT = 150;

export const focused = (page: Page) => page.evaluate<string>(`(${NAME})(document.activeElement)`);

/** Presses Tab until something of this name has the focus, once there is something of this name. @throws when nothing has */
export async function tabTo(page: Page, name: string): Promise<void> {
  const isThere = `${LED_TO}.some(element => (${NAME})(element).startsWith(${JSON.stringify(name)}))`;
  await expect
    .poll(() => page.evaluate<boolean>(isThere), { ...SOON, message: `${name} is there` })
    .toBe(true);
  const passed: string[] = [];
  for (let pressed = 0; pressed < MAX_COUNT; pressed += 1) {
    await page.keyboard.press('Tab');
    const found = await focused(page);
    if (found.startsWith(name)) return;
    passed.push(found.slice(0, 40));
  }
  throw new Error(`Nobody gets to ${name} with Tab, which leads to: ${[...new Set(passed)].join(' | ')}`);
}

/** Does what a button or a link does. */
export async function use(page: Page, name: string): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press('Enter');
}

/** Writes into a field, over what stands there. */
export async function write(page: Page, name: string, text: string): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(text);
}
