import { describe, expect, it } from 'vitest';
import { flat, type Given, SOON, stream } from '../../kit/console/given.ts';
import { axeFindings } from '../../kit/console/tab.ts';
import { tabTo, use } from './keyboard.ts';

export function eventTests({ house, open }: Given): void {
  describe('an event', () => {
    it('is opened from the live view by the keyboard; shows what changed, when, where it went, and its JSON', async () => {
      const page = await open();
      house().rename('1005', 'Count the boxes');
      await stream(page).filter({ hasText: 'Count the boxes' }).first().waitFor();
      await tabTo(page, 'Hold still');
      await page.keyboard.press('Enter');
      for (let pressed = 0; pressed < 10; pressed += 1) {
        await page.keyboard.press('Tab');
        if (await page.evaluate<boolean>("document.activeElement.matches('a.line')")) break;
      }
      await page.keyboard.press('Home');
      await expect
        .poll(() => page.evaluate<string>('document.activeElement.innerText'), SOON)
        .toContain('Count the boxes');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Where it went' }).waitFor();
      await page.getByText('delivered', { exact: true }).waitFor();
      const main = flat(await page.locator('main').innerText());
      expect(main).toContain('Count the boxes');
      expect(main).toContain('It happened between');
      expect(main).toContain('crm');
      expect(main).toContain('"specversion"');
      expect(await axeFindings(page)).toEqual([]);
    });

    it('is sent again', async () => {
      const page = await open();
      house().rename('1006', 'Call them once more');
      await stream(page).filter({ hasText: 'Call them once more' }).first().click();
      await page.getByText('delivered', { exact: true }).waitFor();
      const before = house().receiver.received.length;
      await use(page, 'Send again to crm');
      await page.getByText('It is sent to crm again.').waitFor();
      await house().receiver.requests(before + 1);
      expect(house().receiver.received.at(-1)?.body).toContain('Call them once more');
    });

    it('that is not there is said to be none', async () => {
      const page = await open({}, '#/event/none');
      await page.getByRole('alert').first().waitFor();
      expect(await axeFindings(page)).toEqual([]);
    });
  });
}
