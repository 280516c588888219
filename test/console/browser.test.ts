import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openBrowser } from '../support/browser/browser.ts';
import { type House, openHouse } from './house.ts';
import { axeFindings, goTo, NARROW, openTab, overflow, type Tab, WIDE } from './tab.ts';

/** One browser and one run for all of these. Where there is no browser, one line says that they were not run. */
const browser = await openBrowser();

if (typeof browser === 'string')
  it('is not shown in a browser here', () => {
    process.stderr.write(`The console was not tested in a browser. ${browser}\n`);
  });
else
  describe('the console in a browser', () => {
    let house: House;
    beforeAll(async () => {
      house = await openHouse();
    });
    afterAll(async () => {
      await browser.close();
      await house.close();
    });

    /** A tab that must end without anything wrong. */
    async function tab(options: Parameters<typeof openTab>[2] = {}, address = house.address()): Promise<Tab> {
      const opened = await openTab(browser as Exclude<typeof browser, string>, address, options);
      onTestFinished(async () => {
        const wrong = [...opened.wrong];
        await opened.close();
        expect(wrong).toEqual([]);
      });
      return opened;
    }
    const stream = (page: Page) => page.locator('a.line');

    describe('its address', () => {
      it('brings the token once: it is kept for the tab, and gone from the address', async () => {
        const { page } = await tab();
        await page.getByText('up to date').first().waitFor();
        expect(page.url()).toMatch(/#\/now$/);
        await page.reload();
        await page.getByText('up to date').first().waitFor();
        const { page: other } = await tab({}, new URL('/', house.address()).href);
        await other.getByRole('heading', { name: 'The address has no token' }).waitFor();
      });

      it('with a wrong token shows nothing but how to get the right one', async () => {
        const { page } = await tab({}, new URL(`/#token=${'x'.repeat(43)}`, house.address()).href);
        await page.getByText('changewire console').waitFor();
        expect(await page.locator('main').innerText()).not.toContain('onboarding');
      });
    });

    describe('a change', () => {
      it('appears as people read it within moments: project, task, field, from and to', async () => {
        const { page } = await tab();
        await page.getByText('up to date').first().waitFor();
        house.service.workspace.updateTask('onboarding', '1001', '500001', { status: 'Blocked' });
        const line = stream(page).filter({ hasText: 'Blocked' });
        await line.waitFor();
        expect((await line.innerText()).replaceAll(/\s+/g, ' ')).toMatch(
          /Nordwind Logistics › Hand over from sales.*Status.*Done → Blocked/,
        );
      });

      it('with whatever in it is text: no script runs, nothing is laid out over anything else', async () => {
        const { page } = await tab();
        await page.getByText('up to date').first().waitFor();
        const hostile = [
          `<script>document.title='taken'</script><img src=x onerror="document.title='taken'">`,
          `very long ${'x'.repeat(5_000)}`,
          'שלום עולם \u202Emurad\u2066 مرحبا',
          'emoji 👩‍👩‍👧‍👦🏳️‍🌈 \u0000\u0007 zalgo Z̸̢͠',
          'javascript:alert(1) https://evil.example/?q=" onmouseover="alert(1)',
        ];
        for (const [index, name] of hostile.entries())
          house.service.workspace.updateProject('launch', String(1040 + index), { name });
        for (const begin of ['<script>', 'very long', 'שלום', 'emoji 👩', 'javascript:'])
          await stream(page).filter({ hasText: begin }).first().waitFor();
        expect(await page.title()).toBe('Now · Changewire');
        expect(await page.locator('main script, main img').count()).toBe(0);
        expect(await overflow(page)).toBeLessThanOrEqual(0);
        expect(await axeFindings(page)).toEqual([]);
        await page.setViewportSize(NARROW);
        expect(await overflow(page)).toBeLessThanOrEqual(0);
      });
    });

    describe('when the run goes away', () => {
      it('says so, and goes on by itself once the next run is there: nothing lost, nothing twice', async () => {
        const { page } = await tab();
        await page.getByText('up to date').first().waitFor();
        house.service.workspace.updateTask('onboarding', '1002', '500026', { name: 'Before the end' });
        await stream(page).filter({ hasText: 'Before the end' }).first().waitFor();
        await house.stop();
        await page.getByText('Nobody answers.').waitFor();
        house.service.workspace.updateTask('onboarding', '1002', '500026', { name: 'While it was gone' });
        await house.start();
        await stream(page).filter({ hasText: 'While it was gone' }).first().waitFor();
        await page.getByText('Nobody answers.').waitFor({ state: 'hidden' });
        const ids = await page.evaluate<string[]>(
          "[...document.querySelectorAll('a.line')].map(line => line.dataset.id)",
        );
        expect(ids).toEqual([...new Set(ids)]);
      });
    });

    describe.each([
      ['light', 1600, WIDE, 'light'],
      ['dark', 1600, WIDE, 'dark'],
      ['light', 400, NARROW, 'light'],
      ['dark', 400, NARROW, 'dark'],
    ] as const)('in %s colours, %i pixels wide', (_, __, viewport, colorScheme) => {
      it('works for everybody, as far as axe can tell, and nothing is cut off', async () => {
        const { page } = await tab({ viewport, colorScheme });
        await page.getByText('up to date').first().waitFor();
        const places = ['now', 'endpoints'];
        for (const place of places) {
          await goTo(page, `#/${place}`);
          await page.locator('main h1').waitFor({ state: 'attached' });
          expect([place, await axeFindings(page)]).toEqual([place, []]);
          expect([place, await overflow(page)]).toEqual([place, 0]);
        }
      });
    });
  });
