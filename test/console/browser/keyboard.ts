import type { Page } from 'playwright-core';

/** What a screen reader calls the element that has the focus, about; nothing where none has it, which is the page's body. */
const FOCUSED = `(() => {
  const element = document.activeElement;
  if (element === document.body) return '';
  const label = element?.labels?.[0]?.innerText;
  return (element?.getAttribute('aria-label') ?? label ?? element?.innerText ?? '').trim();
})()`;
const MOST = 150;

export const focused = (page: Page) => page.evaluate<string>(FOCUSED);

/** Presses Tab until something of this name has the focus. @throws when nothing has */
export async function tabTo(page: Page, name: string): Promise<void> {
  const passed: string[] = [];
  for (let pressed = 0; pressed < MOST; pressed += 1) {
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
