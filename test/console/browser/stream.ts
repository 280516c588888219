import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { flat, type Given, SOON, stream } from '../../kit/console/given.ts';
import { axeFindings, NARROW, overflow } from '../../kit/console/tab.ts';
import { focused, tabTo, use, write } from './keyboard.ts';

/** The address, and the live view. */
export function streamTests({ run, open, openAt }: Given): void {
  const edits = () => run().service.workspace;
  const shown = async (page: Page) => await stream(page).allInnerTexts();

  describe('its address', () => {
    it('brings the token once: it is kept for the tab, and gone from the address', async () => {
      const page = await open();
      expect(page.url()).toMatch(/#\/now$/);
      await page.reload();
      await page.getByText('Live', { exact: true }).waitFor();
      const other = await openAt(new URL('/', run().address()).href);
      await other.getByRole('heading', { name: 'Token missing' }).waitFor();
    });

    it('of any page opens in a new tab, beside a tab that is connected, and after it', async () => {
      const page = await open();
      run().rename('1015', 'Seen in a tab of its own');
      const line = stream(page).filter({ hasText: 'Seen in a tab of its own' }).first();
      const opening = page.context().waitForEvent('page');
      await line.click({ button: 'middle' });
      const event = await opening;
      await event.getByRole('heading', { name: 'Deliveries' }).waitFor();
      expect(event.url()).toMatch(/#\/event\/[^?]+$/);
      await event.reload();
      await event.getByRole('heading', { name: 'Deliveries' }).waitFor();
      const bookmark = event.url();
      // In another browser, it waits for a tab that has the token.
      const waiting = await openAt(bookmark);
      await waiting.getByRole('heading', { name: 'Token missing' }).waitFor();
      const second = await waiting.context().newPage();
      await second.goto(run().address());
      await waiting.getByRole('heading', { name: 'Deliveries' }).waitFor();
      expect(waiting.url()).toBe(bookmark);
    });

    it('has the filters, so that Reload and Back keep them; a link to Now has none', async () => {
      const page = await open();
      run().rename('1016', 'Kept in the address');
      await stream(page).filter({ hasText: 'Kept in the address' }).first().waitFor();
      await write(page, 'Words', 'kept in the');
      const value = () => page.getByLabel('Words').inputValue();
      await expect.poll(() => page.url(), SOON).toMatch(/#\/now\?words=kept\+in\+the$/);
      await page.reload();
      await expect.poll(value, SOON).toBe('kept in the');
      await stream(page).filter({ hasText: 'Kept in the address' }).first().click();
      await page.getByRole('heading', { name: 'Deliveries' }).waitFor();
      await page.goBack();
      await expect.poll(value, SOON).toBe('kept in the');
      await expect.poll(() => focused(page), SOON).toContain('Kept in the address');
      await page.getByRole('link', { name: 'Now', exact: true }).click();
      await expect.poll(value, SOON).toBe('');
      expect(page.url()).toMatch(/#\/now$/);
    });

    it('is what the file leads to that opens the console', async () => {
      const page = await openAt(run().opener());
      await page.getByText('Live', { exact: true }).waitFor();
      expect(page.url()).toBe(new URL('/#/now', run().address()).href);
    });

    it('with a wrong token shows nothing but how to get the right one', async () => {
      const page = await openAt(new URL(`/#token=${'x'.repeat(43)}`, run().address()).href);
      await page.getByText('changewire console').waitFor();
      expect(await page.locator('main').innerText()).not.toContain('onboarding');
      expect(await axeFindings(page)).toEqual([]);
    });
  });

  it('another page has the focus on its heading as soon as it is there', async () => {
    const page = await open();
    const hasFocus = await page.evaluate<boolean>(`new Promise(resolve => {
      new MutationObserver(() => {
        const heading = document.querySelector('main h1');
        if (heading.textContent === 'Doctor') resolve(document.activeElement === heading);
      }).observe(document.querySelector('main'), { subtree: true, childList: true, characterData: true });
      location.hash = '#/doctor';
    })`);
    expect(hasFocus).toBe(true);
  });

  describe('a change', () => {
    it('appears as people read it within moments: project, task, field, from and to', async () => {
      const page = await open();
      edits().updateTask('onboarding', '1001', '500001', { status: 'Blocked' });
      const line = stream(page).filter({ hasText: 'Blocked' });
      await line.waitFor();
      expect(flat(await line.innerText())).toMatch(
        /Nordwind Logistics › Hand over from sales.*Status.*Done → Blocked/,
      );
    });

    it('with whatever in it is text: no script runs, nothing is laid out over anything else', async () => {
      const page = await open();
      const hostile = [
        `<script>document.title='taken'</script><img src=x onerror="document.title='taken'">`,
        `very long ${'x'.repeat(5_000)}`,
        'שלום עולם \u202Emurad\u2066 مرحبا',
        'emoji 👩‍👩‍👧‍👦🏳️‍🌈 \u0000\u0007 zalgo Z̸̢͠',
        'javascript:alert(1) https://evil.example/?q=" onmouseover="alert(1)',
      ];
      for (const [index, name] of hostile.entries())
        edits().updateProject('launch', String(1040 + index), { name });
      for (const begin of ['<script>', 'very long', 'שלום', 'emoji 👩', 'javascript:'])
        await stream(page).filter({ hasText: begin }).first().waitFor();
      expect(await page.title()).toBe('Now · Changewire');
      expect(await page.locator('main script, main img').count()).toBe(0);
      expect(await overflow(page)).toBeLessThanOrEqual(0);
      expect(await axeFindings(page)).toEqual([]);
      await page.setViewportSize(NARROW);
      expect(await overflow(page)).toBeLessThanOrEqual(0);
    });

    it('is found by words, field, type and process, by the keyboard alone', async () => {
      run().rename('1003', 'Sign the contract');
      edits().updateProject('launch', '1050', { name: 'Borealis' });
      const page = await open();
      for (const text of ['Sign the contract', 'Borealis'])
        await stream(page).filter({ hasText: text }).first().waitFor();
      await write(page, 'Words', 'borealis');
      await expect.poll(() => shown(page), SOON).toEqual([expect.stringContaining('Borealis')]);
      await page.keyboard.press('Escape');
      await write(page, 'Words', '');
      await tabTo(page, 'Type');
      await page.keyboard.type('task.updated');
      await expect.poll(async () => (await shown(page)).join(), SOON).not.toContain('Borealis');
      await page.keyboard.press('Home');
      await write(page, 'Field', 'name');
      await tabTo(page, 'Process');
      await page.keyboard.press('End');
      await expect
        .poll(async () => (await shown(page)).join(), SOON)
        .toMatch(/^(?!.*Borealis).*Sign the contract/s);
    });

    it('is searched for in the journal, not only on the page, and it says how far', async () => {
      // The page keeps the beginning of a long name alone.
      edits().updateProject('launch', '1049', { name: `Lighthouse ${'at dusk '.repeat(60)}needle` });
      const page = await open();
      await stream(page).filter({ hasText: 'Lighthouse' }).first().waitFor();
      await write(page, 'Words', 'NEEDLE lighthouse');
      await expect.poll(() => shown(page), SOON).toEqual([expect.stringContaining('Lighthouse at dusk')]);
      await page.getByText('Searched the whole journal.').waitFor();
      await write(page, 'Field', 'nam');
      await expect.poll(() => shown(page), SOON).toEqual([expect.stringContaining('Lighthouse at dusk')]);
      await write(page, 'Words', 'no such words');
      await page.getByText('No matching changes in the journal.').waitFor();
      expect(await axeFindings(page)).toEqual([]);
      await use(page, 'Show all');
      await stream(page).filter({ hasText: 'Lighthouse' }).first().waitFor();
    });

    it('is counted in a chart, whose bars and table lead to the changes of their time and type', async () => {
      edits().updateProject('launch', '1048', { name: 'In the chart' });
      const page = await open();
      await stream(page).filter({ hasText: 'In the chart' }).first().waitFor();
      await page.getByText(/^(The newest )?[\d,]+ events?, since /).waitFor();
      await page.getByLabel('Colours of the chart').selectOption('process');
      await page.locator('.activity a', { hasText: '× launch' }).last().click();
      await expect.poll(() => page.url(), SOON).toMatch(/process=[^&]+launch&since=[^&]+&until=/);
      await stream(page).filter({ hasText: 'In the chart' }).first().waitFor();
      expect((await shown(page)).join()).not.toContain('onboarding');
      expect(await axeFindings(page)).toEqual([]);
      await use(page, 'As a table');
      await page.getByRole('region', { name: 'Events over time' }).getByRole('row').nth(1).waitFor();
      expect(await axeFindings(page)).toEqual([]);
      await page.getByRole('button', { name: /: show all times$/ }).click();
      await expect.poll(() => page.url(), SOON).toMatch(/#\/now\?process=[^&]+launch$/);
    });

    it('waits while somebody holds the view still', async () => {
      const page = await open();
      await use(page, 'Pause');
      run().rename('1004', 'Behind the curtain');
      await page.getByRole('button', { name: 'Resume (1 new)' }).waitFor();
      expect((await shown(page)).join()).not.toContain('Behind the curtain');
      await page.keyboard.press('Enter');
      await stream(page).filter({ hasText: 'Behind the curtain' }).first().waitFor();
    });
  });

  it('the keys are listed by ?, or a button, and the focus comes back', async () => {
    const page = await open();
    await tabTo(page, 'History');
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keys' });
    await dialog.getByText('Search, on Now and History').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await focused(page)).toBe('History');
    await use(page, 'Keys');
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    expect(await focused(page)).toBe('Words');
    await page.keyboard.type('?/');
    expect(await page.getByLabel('Words').inputValue()).toBe('?/');
  });

  it('on a phone, healthy processes and endpoints take one line, and the first change is visible', async () => {
    run().rename('1019', 'On the first screen');
    const page = await open({ viewport: { width: 390, height: 844 } });
    const line = stream(page).filter({ hasText: 'On the first screen' }).first();
    await line.waitFor();
    const { y = 0, height = 0 } = (await stream(page).first().boundingBox()) ?? {};
    expect(y + height).toBeLessThan(600);
    expect(await page.locator('.card').first().isVisible()).toBe(false);
    await page.getByText('2 processes healthy').click();
    await page.getByRole('button', { name: 'Pass of launch now' }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
  });

  describe('when the run goes away', () => {
    it('says so, and goes on by itself once the next run is there: nothing lost, nothing twice', async () => {
      const page = await open();
      run().rename('1002', 'Before the end');
      await stream(page).filter({ hasText: 'Before the end' }).first().waitFor();
      await run().stop();
      await page.getByText('Connection lost.').waitFor();
      expect(await axeFindings(page)).toEqual([]);
      run().rename('1002', 'While it was gone');
      await run().start();
      await stream(page).filter({ hasText: 'While it was gone' }).first().waitFor();
      await page.getByText('Connection lost.').waitFor({ state: 'hidden' });
      const ids = await page.evaluate<string[]>(
        "[...document.querySelectorAll('a.line')].map(line => line.dataset.id)",
      );
      expect(ids).toEqual([...new Set(ids)]);
      await page.reload();
      await page.getByText('Live', { exact: true }).waitFor();
    });
  });
}
