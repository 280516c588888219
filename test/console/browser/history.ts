import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { tokenIn } from '../../../console/model/routes.ts';
import { unseal } from '../../../local/operate/seal.ts';
import { flat, type Given, SOON, stream } from '../../kit/console/given.ts';
import { axeFindings } from '../../kit/console/tab.ts';
import { focused, tabTo, use, write } from './keyboard.ts';

export function historyTests({ run, open }: Given): void {
  const edits = () => run().service.workspace;

  const history = async (options: Parameters<Given['open']>[0] = {}) => {
    const page = await open(options, '#/history');
    await tabTo(page, 'Process');
    await page.keyboard.type('onboarding');
    return page;
  };

  /** The page reads the journal when it opens: by then the change must be in it. */
  const emitted = (text: string) =>
    expect.poll(() => run().receiver.received.some(({ body }) => body.includes(text)), SOON).toBe(true);

  /** What a button has the browser save. */
  async function downloaded(page: Page, button: string): Promise<{ name: string; text: string }> {
    const waiting = page.waitForEvent('download');
    await use(page, button);
    const download = await waiting;
    return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') };
  }

  describe('what changed since a time', () => {
    it('is told by project, and taken along as text, CSV and JSON', async () => {
      run().rename('1007', '=SUM(A1), "quoted"');
      const page = await history({ permissions: ['clipboard-read', 'clipboard-write'] });
      await page.getByText('=SUM(A1)').first().waitFor();
      await tabTo(page, 'Since');
      await page.keyboard.type('the');
      // What was there before has the text, too.
      await page.getByRole('heading', { name: 'What changed in onboarding in the last hour' }).waitFor();
      await page.getByText('=SUM(A1)').first().waitFor();
      expect(await axeFindings(page)).toEqual([]);
      await use(page, 'Copy as text');
      await page.getByText('Copied').waitFor();
      expect(await page.evaluate<string>('navigator.clipboard.readText()')).toContain('=SUM(A1)');
      const csv = await downloaded(page, 'CSV');
      expect(csv.name).toMatch(/^onboarding.*\.csv$/);
      // A spreadsheet must not take a name for a formula.
      expect(csv.text).toMatch(/'=SUM\(A1\), ""quoted""/);
      await tabTo(page, 'Since');
      await page.keyboard.type('tod');
      await page.getByRole('heading', { name: 'What changed in onboarding since today' }).waitFor();
      await page.getByText('=SUM(A1)').first().waitFor();
      const today = await page.evaluate<string>("new Date().toLocaleDateString('sv')");
      expect((await downloaded(page, 'CSV')).name).toBe(`onboarding-since-${today}.csv`);
      expect(flat(await page.locator('main').innerText())).toMatch(
        /onboarding has been polled since today \d\d:\d\d\. Earlier changes are not known\./,
      );
      const json = await downloaded(page, 'JSON');
      expect(JSON.stringify(JSON.parse(json.text))).toContain('=SUM(A1)');
    });
  });

  it('what changed is taken nowhere before any of it is read', async () => {
    edits().updateProject('onboarding', '1014', { name: 'Read late' });
    edits().updateProject('launch', '1054', { name: 'Read late' });
    const page = await open();
    await expect.poll(() => stream(page).filter({ hasText: 'Read late' }).count(), SOON).toBe(2);
    const answered = Promise.withResolvers<void>();
    const token = tokenIn(new URL(run().address()).hash) ?? '';
    await page.route('**/operations', async route => {
      const asked = await unseal(token, route.request().postDataBuffer() ?? Buffer.alloc(0));
      const { operation, process } = JSON.parse(asked ?? '');
      if (operation === 'events' && process !== undefined) await answered.promise;
      await route.continue();
    });
    await page.evaluate("location.hash = '#/history'");
    const copy = page.getByRole('button', { name: 'Copy as text' });
    await copy.waitFor();
    expect(await copy.isDisabled()).toBe(true);
    answered.resolve();
    await expect.poll(() => copy.isEnabled(), SOON).toBe(true);
  });

  describe('a time line', () => {
    it('of one project is found by its identifier, and has its changes only', async () => {
      edits().updateProject('onboarding', '1008', { name: 'Harbour Foods' });
      edits().updateProject('onboarding', '1009', { name: 'Somebody else' });
      await emitted('Harbour Foods');
      await emitted('Somebody else');
      const page = await history();
      await page.getByText('Harbour Foods').first().waitFor();
      await write(page, 'Timeline of', '1008');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: /History.*Harbour Foods/ }).waitFor();
      const main = flat(await page.locator('main').innerText());
      expect(main).not.toContain('Somebody else');
      expect(await axeFindings(page)).toEqual([]);
    });

    it('of a project is erased after a preview, which names what is not recalled', async () => {
      edits().updateProject('onboarding', '1011', { name: 'Zoë Quagga' });
      await emitted('Zoë Quagga');
      const page = await open({}, '#/history?project=1011');
      await page.getByText('Zoë Quagga').first().waitFor();
      await use(page, 'Erase…');
      const dialog = page.getByRole('dialog');
      await dialog.getByText(/Would erase the contents of \d+ events of project 1011/).waitFor();
      await dialog.getByText(/Delivered, as far as attempts are kept: \d+ to crm/).waitFor();
      expect(await axeFindings(page)).toEqual([]);
      await use(page, 'Erase');
      await page.getByText(/^Erased the contents of \d+ events of project 1011/).waitFor();
      await page.getByRole('heading', { name: /History.*#1011/ }).waitFor();
      await page.getByText('updated, contents erased').first().waitFor();
      expect(await page.locator('main').innerText()).not.toContain('Quagga');
    });

    it('is found by a part of its name, of a project that is not on the page, in all processes', async () => {
      edits().updateProject('launch', '1047', { name: 'Tangerine kiosk' });
      await emitted('Tangerine kiosk');
      const page = await open({}, '#/history?record=rine+KIO');
      await page.getByRole('heading', { name: /History.*Tangerine kiosk/ }).waitFor();
      await page.goBack();
      await page.goto(page.url().replace(/#.*/, '#/history?record=no+such+name'));
      await page.getByText('No project or task with this name or id').waitFor();
      expect(await axeFindings(page)).toEqual([]);
    });
  });

  describe('a row', () => {
    it('is one change, leads to its event by the keyboard, and has the focus again after Back', async () => {
      run().rename('1010', 'Order the badges');
      await emitted('Order the badges');
      const page = await open({}, '#/history');
      await page.getByText('Order the badges').first().waitFor();
      await page.keyboard.press('/');
      expect(await focused(page)).toBe('Words');
      await page.keyboard.type('the badges');
      await page.getByText(/^1 change of \d+ in 1 project$/).waitFor();
      await tabTo(page, 'Lumen');
      await page.keyboard.press('j');
      const row = flat(await focused(page));
      expect(row).toMatch(/^Order the badges Name: .* → Order the badges( by \S.*)? (\d+ s ago|now)$/);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Deliveries' }).waitFor();
      await use(page, 'Timeline of the task');
      await page.getByRole('heading', { name: /Order the badges/ }).waitFor();
      await page.goBack();
      await page.getByRole('heading', { name: 'Deliveries' }).waitFor();
      await expect.poll(() => focused(page), SOON).toBe('Timeline of the task');
      await page.goBack();
      await expect.poll(() => focused(page), SOON).toMatch(/^Order the badges/);
    });

    it('is filtered by person, field and time in the address, which Reload keeps; counts and rows agree', async () => {
      run().rename('1018', 'Counted');
      await emitted('Counted');
      const page = await open({}, '#/history?since=friday&field=name');
      await page.getByText('Counted').first().waitFor();
      const [cell] = await page.locator('.who tbody th').allInnerTexts();
      await write(page, 'Person', String(cell));
      await expect.poll(() => page.url(), SOON).toMatch(/field=name&person=[^&]+&since=friday$/);
      await page.reload();
      const status = page.locator('main [role=status]', {
        hasText: /^\d+ changes? of \d+ in \d+ projects?$/,
      });
      await status.waitFor();
      const [changes, , projects] = (await status.innerText()).match(/\d+/g)?.map(Number) ?? [];
      const row = page.locator('.of-page .row').first();
      expect(await row.getAttribute('aria-setsize')).toBe(String(Number(changes) + Number(projects)));
      expect((await stream(page).allInnerTexts()).join()).not.toMatch(/Status:/);
      expect(await axeFindings(page)).toEqual([]);
    });
  });
}
