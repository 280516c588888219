import { describe, expect, it } from 'vitest';
import { flat, type Given, SOON, stream } from '../../kit/console/given.ts';
import { axeFindings } from '../../kit/console/tab.ts';
import { focused, tabTo, use } from './keyboard.ts';

/** Whether the last line has the focus as soon as the key is worked off, before a frame is drawn. */
const END_AT_ONCE = `(async () => {
  const before = document.activeElement;
  before.dispatchEvent(new KeyboardEvent('keydown', { key: 'End', bubbles: true }));
  for (let turn = 0; turn < 20; turn += 1) await undefined;
  return document.activeElement !== before && document.activeElement.matches('a.line');
})()`;

export function eventTests({ run, open }: Given): void {
  describe('an event', () => {
    it('is opened from the live view by the keyboard; shows what changed, when, where it went, and its JSON', async () => {
      const page = await open();
      for (const name of ['Stack the boxes', 'Count the boxes']) {
        run().rename('1005', name);
        await stream(page)
          .filter({ hasText: `→ ${name}` })
          .first()
          .waitFor();
      }
      await tabTo(page, 'Pause');
      await page.keyboard.press('Enter');
      for (let pressed = 0; pressed < 10; pressed += 1) {
        await page.keyboard.press('Tab');
        if (await page.evaluate<boolean>("document.activeElement.matches('a.line')")) break;
      }
      const movesAtOnce = await page.evaluate<boolean>(END_AT_ONCE);
      expect(movesAtOnce, 'a key moves the focus before the next one').toBe(true);
      await page.keyboard.press('Home');
      expect(await focused(page), 'the focus is there before the next key').toContain('Count the boxes');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Deliveries' }).waitFor();
      await page.getByText('delivered', { exact: true }).waitFor();
      const main = flat(await page.locator('main').innerText());
      for (const text of ['Count the boxes', 'Changed between', 'crm', '"specversion"'])
        expect(main).toContain(text);
      expect(await axeFindings(page)).toEqual([]);
    });

    it('is sent again', async () => {
      const page = await open();
      run().rename('1006', 'Call them once more');
      await stream(page).filter({ hasText: 'Call them once more' }).first().click();
      await page.getByText('delivered', { exact: true }).waitFor();
      const timesReceived = () =>
        run().receiver.received.filter(({ body }) => body.includes('Call them once more')).length;
      expect(timesReceived()).toBe(1);
      await use(page, 'Send again to crm');
      await page.getByText('Sending again to crm.').waitFor();
      await expect.poll(timesReceived, SOON).toBe(2);
    });

    it('that a paused endpoint did not get yet says when it is sent', async () => {
      const page = await open({}, '#/endpoints/crm');
      await use(page, 'Pause');
      await page.getByText('Paused crm.').waitFor();
      run().rename('1013', 'Sent on Monday');
      await page.evaluate("location.hash = '#/now'");
      await stream(page).filter({ hasText: 'Sent on Monday' }).first().click();
      await page.getByText('sent when you resume the endpoint').waitFor();
      expect(flat(await page.locator('main').innerText())).not.toMatch(/next attempt/);
      await page.evaluate("location.hash = '#/endpoints'");
      await page.locator('th').getByText('webhook', { exact: true }).first().waitFor();
      const heading = page.locator('th', { hasText: 'crm' }).first();
      expect(flat(await heading.innerText())).toContain('webhook configured');
      await page.evaluate("location.hash = '#/endpoints/crm'");
      await use(page, 'Resume');
      await page.getByText('Resumed crm.').waitFor();
    });

    it('that is not there is said to be none', async () => {
      const page = await open({}, '#/event/none');
      await page.getByRole('alert').first().waitFor();
      expect(await page.locator('main').innerText()).not.toMatch(/`|Try again/);
      expect(await axeFindings(page)).toEqual([]);
    });
  });
}
