import { describe, expect, it } from 'vitest';
import { flat, type Given, stream } from '../../kit/console/given.ts';
import { axeFindings, goTo } from '../../kit/console/tab.ts';
import { write } from './keyboard.ts';

/** Who gets in, and who may change things. */
export function accessTests({ run, openAt }: Given): void {
  describe('the token', () => {
    it('is pasted where it is missing', async () => {
      const page = await openAt(new URL('/#/endpoints/crm', run().address()).href);
      await page.getByRole('heading', { name: 'Token missing' }).waitFor();
      await write(page, 'Link or token', 'npx changewire console');
      await page.keyboard.press('Enter');
      await page.getByText('Paste the whole link').waitFor();
      expect(await axeFindings(page)).toEqual([]);
      await page.getByLabel('Link or token').fill(run().address());
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: /crm/ }).waitFor();
    });

    it('that is read-only stays in the browser, and has no button that changes anything', async () => {
      const first = await openAt(run().readOnlyAddress());
      await first.getByText('read-only', { exact: true }).waitFor();
      run().rename('1017', 'Seen by the team');
      await stream(first).filter({ hasText: 'Seen by the team' }).first().waitFor();
      const [bookmark, context] = [new URL('/#/endpoints/crm', first.url()).href, first.context()];
      await first.close();
      const page = await context.newPage();
      await page.goto(bookmark);
      await page.getByRole('heading', { name: 'Attempts', exact: true }).waitFor();
      const seen = new Set<string>();
      const look = async () => {
        const adding = page.getByRole('link', { name: /^Add/ });
        const buttons = page.locator('main').getByRole('button').or(adding);
        for (const name of await buttons.allInnerTexts()) seen.add(flat(name));
      };
      for (const place of ['#/endpoints/crm', '#/endpoints', '#/endpoints/new?new=1', '#/now']) {
        await goTo(page, place);
        await page.locator('main').getByText('crm').first().waitFor();
        await look();
      }
      await stream(page).filter({ hasText: 'Seen by the team' }).first().click();
      await page.getByRole('heading', { name: 'Deliveries' }).waitFor();
      await look();
      // Pause is that of the list of changes.
      expect([...seen].sort()).toEqual(['Copy', 'Copy the id', 'Pause', 'Preview…', 'Show…']);
      // An operator's link in the same browser changes this tab, too.
      const operator = await context.newPage();
      await operator.goto(run().address());
      await page.getByRole('button', { name: 'Send again to crm' }).waitFor();
    });
  });
}
