import { describe, expect, it } from 'vitest';
import { flat, type Given, stream } from '../../kit/console/given.ts';
import { axeFindings } from '../../kit/console/tab.ts';
import { use } from './keyboard.ts';

/** The last ones: they delete most of a process. */
export function processTests({ run, open }: Given): void {
  describe('a process', () => {
    it('is looked at now, when somebody asks for it', async () => {
      const page = await open();
      await use(page, 'Pass of launch now');
      await page.getByText('Pass of launch started.').waitFor();
    });

    it('of which most vanished is on hold, until somebody releases the deletions', async () => {
      const edits = run().service.workspace;
      const gone = edits.projects('launch').slice(0, 15);
      for (const { id } of gone) edits.deleteProject('launch', String(id));
      const page = await open();
      await use(page, 'Sweep launch now');
      await page.getByText('on hold', { exact: true }).waitFor({ timeout: 15_000 });
      expect(await axeFindings(page)).toEqual([]);
      // A line about the process names it once.
      const held = stream(page).filter({ hasText: 'projects disappeared at once' }).first();
      expect(flat(await held.innerText()).match(/launch/g)).toHaveLength(1);
      await use(page, 'Release the deletions');
      const dialog = page.getByRole('dialog');
      await dialog.getByText(/\d+ projects and their tasks as deleted/).waitFor();
      await use(page, 'Release the deletions');
      await page.getByText(/Released the deletions of \d+ projects/).waitFor();
    });

    it('that the configuration has no more is told of, until somebody forgets it', async () => {
      await run().stop();
      await run().start('launch');
      const page = await open();
      const card = page.locator('.card').filter({ hasText: 'launch' });
      await card.getByText('removed', { exact: true }).waitFor();
      expect(await card.getByRole('button').allTextContents()).toEqual(['Forget it…']);
      expect(await axeFindings(page)).toEqual([]);
      await use(page, 'Forget it…');
      const dialog = page.getByRole('dialog');
      await dialog.getByText(/The stored data of \d+ projects will be deleted/).waitFor();
      await use(page, 'Forget it');
      await page.getByText(/Deleted the stored data of launch: \d+ projects/).waitFor();
      await card.waitFor({ state: 'detached', timeout: 15_000 });
    });
  });
}
