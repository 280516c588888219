import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { flat, type Given, SOON } from '../../kit/console/given.ts';
import { axeFindings } from '../../kit/console/tab.ts';
import { focused, tabTo, use, write } from './keyboard.ts';

const SECRET = /whsec_[\w+/=]+/;

/** All that can be done to an endpoint, with the keyboard alone, one after the other. */
export function endpointTests({ run, open }: Given): void {
  const received = () => run().receiver.received;
  const timesReceived = (text: string) => received().filter(({ body }) => body.includes(text)).length;
  /** The bodies that were received since there were `count`. */
  const receivedSince = (count: number) =>
    received()
      .slice(count)
      .map(({ body }) => JSON.parse(body));
  const main = async (page: Page) => flat(await page.locator('main').innerText());
  const dialog = (page: Page) => page.getByRole('dialog');
  const there = () => open({}, '#/endpoints/planner');

  describe('an endpoint', () => {
    it('is added, with a look at what it would have got; its secret is shown once', async () => {
      run().rename('1011', 'For the preview');
      // The preview reads the journal once, when it opens: by then the change must be in it.
      await expect.poll(() => timesReceived('For the preview'), SOON).toBeGreaterThan(0);
      const page = await open({}, '#/endpoints');
      await use(page, 'Add an endpoint');
      await page.getByRole('heading', { name: 'Add an endpoint' }).waitFor();
      await write(page, 'Name', 'planner');
      await write(page, 'Address', run().receiver.url);
      const preview = page.getByRole('region', { name: 'Preview' });
      await preview.getByText(/[1-9]\d* of the last/).waitFor();
      await write(page, 'Changed fields', 'no such field');
      await preview.getByText('No matches.').waitFor();
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.press('Delete');
      await preview.getByText('For the preview').first().waitFor();
      await write(page, 'Not made by', 'CRM sync');
      await preview.getByText('For the preview').first().waitFor();
      expect(await axeFindings(page)).toEqual([]);
      await use(page, 'Add the endpoint');
      await dialog(page).getByText(SECRET).waitFor();
      expect(await axeFindings(page)).toEqual([]);
      await use(page, "I've saved it");
      // The dialog has a heading of that name, too.
      await page.getByRole('heading', { level: 1, name: /planner/ }).waitFor();
      await page.reload();
      await page.getByRole('heading', { name: 'Filter' }).waitFor();
      expect(await main(page)).toContain('Not made by CRM sync');
      expect(await main(page)).toContain(new URL(run().receiver.url).origin);
      expect(await main(page)).not.toMatch(SECRET);
    });

    it('of plain text is added with the form of its service, which can be changed', async () => {
      const page = await open({}, '#/endpoints/new?new=1');
      await page.getByRole('radio', { name: /^Text/ }).check();
      await write(page, 'Name', 'ops');
      await write(page, 'Address', run().receiver.url);
      await page.getByLabel('Preset').selectOption('Discord');
      await write(page, 'Field', 'text');
      expect(await axeFindings(page)).toEqual([]);
      await use(page, 'Add the endpoint');
      await page.getByText('Only without "preset".').waitFor();
      expect(await focused(page)).toBe('Field');
      await page.getByRole('textbox', { name: 'Field', exact: true }).fill('');
      await use(page, 'Add the endpoint');
      await page.getByRole('heading', { level: 1, name: /ops/ }).waitFor();
      const before = received().length;
      await use(page, 'Send test event');
      await page.locator('.test-result').getByText('204').waitFor();
      const contents = receivedSince(before).map(({ content }) => content);
      expect(contents).toContainEqual(expect.stringContaining('This is a test'));
      await use(page, 'Edit…');
      expect(await dialog(page).getByLabel('Preset').inputValue()).toBe('discord');
      await dialog(page).getByLabel('Preset').selectOption('None');
      await dialog(page).getByRole('textbox', { name: 'Field', exact: true }).fill('body');
      await use(page, 'Save');
      await page.getByText('Updated ops.').waitFor();
      await expect.poll(() => main(page), SOON).toMatch(/are kept · text in the field body/);
      // The rate was not edited.
      const edited = page.getByText(/preset by default/).first();
      await edited.waitFor();
      expect(await edited.textContent()).not.toContain('perSecond');
      // The tests that follow count what the receiver gets.
      await use(page, 'Remove the endpoint');
      await use(page, 'Remove the endpoint');
      await page.getByText('Removed ops.').waitFor();
    });

    it('that can not be added says why beside the field, until the field is edited', async () => {
      const page = await open({}, '#/endpoints/new?new=1');
      await write(page, 'Address', 'http://10.1.2.3/hook');
      await write(page, 'Name', 'bad name!');
      await page.keyboard.press('Enter');
      const wrong = 'Use 1 to 64 letters, digits, “-” and “_”.';
      await page.getByText(wrong).waitFor();
      expect(await focused(page)).toBe('Name');
      expect(await axeFindings(page)).toEqual([]);
      expect(await page.getByLabel('Name', { exact: true }).getAttribute('maxlength')).toBe('64');
      await write(page, 'Name', 'crm');
      await expect.poll(() => page.getByText(wrong).count(), SOON).toBe(0);
      await page.keyboard.press('Enter');
      await page.getByText('An endpoint with this name already exists. Choose another name.').waitFor();
      await write(page, 'Name', 'other');
      await page.keyboard.press('Enter');
      await page.getByText(/Cannot deliver to this endpoint/).waitFor();
      await expect.poll(() => focused(page), SOON).toBe('Address');
      expect(await main(page)).not.toContain('An endpoint with this name already exists');
    });

    it('is tested, and what it answered is shown', async () => {
      const page = await there();
      const before = received().length;
      await use(page, 'Send test event');
      await page.locator('.test-result').getByText('204').waitFor();
      expect(await page.locator('.test-result').innerText()).toContain(new URL(run().receiver.url).origin);
      expect(receivedSince(before).map(({ type }) => type)).toContain('changewire.test');
    });

    it('has charts of its attempts, and a table of the same', async () => {
      const page = await there();
      await page.getByText(/^100 % of \d+ attempts? since .* succeeded\./).waitFor();
      await use(page, 'As a table');
      const row = page.getByRole('region', { name: 'Attempts over time' }).getByRole('row').nth(1);
      expect(flat(await row.innerText())).toMatch(/^\w{3} \d+, \d\d:\d\d [1-9]\d* 0 \d+ ms \d+ ms /);
      expect(await axeFindings(page)).toEqual([]);
    });

    it('shows what it gets for an event, without sending it', async () => {
      const page = await there();
      const before = received().length;
      await use(page, 'Preview…');
      await dialog(page).getByText('"webhook-signature": "(signature)"').waitFor();
      const [, second] = await dialog(page).getByRole('option').allInnerTexts();
      await dialog(page)
        .getByLabel('Event')
        .selectOption(second ?? '');
      await dialog(page).getByText('"webhook-signature": "(signature)"').waitFor();
      expect(await axeFindings(page)).toEqual([]);
      await use(page, 'Close');
      expect(receivedSince(before).map(({ type }) => type)).not.toContain('changewire.test');
    });

    it('is paused, keeps what comes, and gets it once it is resumed', async () => {
      const page = await there();
      await use(page, 'Pause');
      await page.getByText('Paused planner.').waitFor();
      run().rename('1012', 'Kept for later');
      await page.locator('.figure', { hasText: 'Waiting' }).getByText('1', { exact: true }).waitFor();
      expect(await axeFindings(page)).toEqual([]);
      const kept = () => timesReceived('Kept for later');
      await expect.poll(kept, SOON).toBe(1);
      await use(page, 'Resume');
      await page.getByText('Resumed planner.').waitFor();
      await expect.poll(kept, SOON).toBe(2);
    });

    it('has attempts with the names of records, their requests, and the failed ones alone', async () => {
      const page = await there();
      const attempts = page.getByRole('region', { name: 'Attempts', exact: true });
      await attempts.getByRole('link', { name: /› Kept for later$/ }).waitFor();
      await attempts.getByRole('button', { name: 'Show…' }).first().click();
      await dialog(page).getByText('"webhook-signature": "(signature)"').waitFor();
      expect(await axeFindings(page)).toEqual([]);
      await use(page, 'Close');
      await attempts.getByLabel('Failed only').check();
      await attempts.getByText('No failed attempts.').waitFor();
      expect(page.url()).toMatch(/#\/endpoints\/planner\?attempts=failed$/);
      await page.goBack();
      await attempts.getByRole('link', { name: /› Kept for later$/ }).waitFor();
    });

    it('is sent what happened since a time, once more', async () => {
      const page = await there();
      const before = received().length;
      await use(page, 'Replay since');
      await use(page, 'Preview');
      await dialog(page)
        .getByText(/\d+ events will be sent to planner again/)
        .waitFor();
      expect(await axeFindings(page)).toEqual([]);
      await page.keyboard.press('Enter');
      await page.getByText('Replay to planner started.').waitFor();
      await expect.poll(() => received().length, SOON).toBeGreaterThan(before);
    });

    it('is sent the current state of all records', async () => {
      const page = await there();
      await use(page, 'Snapshot');
      await dialog(page)
        .getByText(/The current state of \d+ projects with their tasks will be sent to planner/)
        .waitFor();
      expect(await axeFindings(page)).toEqual([]);
      await dialog(page).getByRole('button', { name: 'Snapshot' }).click();
      await page.getByText('Snapshot for planner started.').waitFor();
      // All of them would take a minute: the rate of an endpoint grows slowly.
      await expect.poll(() => timesReceived('"task.snapshot"'), SOON).toBeGreaterThan(0);
    });

    it('gets another secret, which is shown once, and the old one ends', async () => {
      const page = await there();
      const finish = page.getByRole('button', { name: 'Finish the rotation' });
      await tabTo(page, 'Rotate the secret');
      expect(await finish.count()).toBe(0);
      await page.keyboard.press('Enter');
      await dialog(page).getByText('Requests are signed with both secrets').waitFor();
      await use(page, 'Rotate the secret');
      await dialog(page).getByText(SECRET).waitFor();
      await use(page, "I've saved it");
      await dialog(page).waitFor({ state: 'hidden' });
      expect(await main(page)).not.toMatch(SECRET);
      expect(await focused(page)).toBe('Rotate the secret…');
      await use(page, 'Finish the rotation');
      await dialog(page).getByText('Only the new secret will be used.').waitFor();
      await use(page, 'Finish the rotation');
      await page.getByText('Only the new secret is used for planner now.').waitFor();
      await expect.poll(() => finish.count(), SOON).toBe(0);
    });

    it('is changed: its filter, its speed, what is kept', async () => {
      const page = await there();
      await use(page, 'Edit…');
      await write(page, 'Changed fields', 'Status');
      await use(page, 'Add a condition on the record');
      await write(page, 'Field of condition 1 of group 1', 'dueDate');
      await page.getByLabel('Test of condition 1 of group 1').selectOption('moved');
      await use(page, 'Or');
      await write(page, 'Field of condition 1 of group 2', 'Risk');
      await write(page, 'Value of condition 1 of group 2', 'High, Critical');
      await page.getByRole('button', { name: /^Why not the other/ }).click();
      await page.getByText('Not sent: none of the fields changed.').first().waitFor();
      await write(page, 'Maximum requests per second', '7');
      await write(page, 'Batch', '50');
      await tabTo(page, 'Keep successful attempts');
      await page.keyboard.press('Space');
      await tabTo(page, 'Send records with the changes');
      await page.keyboard.press('Space');
      await use(page, 'Save');
      await page.getByText('Updated planner.').waitFor();
      await expect
        .poll(() => main(page), SOON)
        .toMatch(/at most 7 per second from the backlog.*are not kept · batches of 50 · without records/);
      expect(await main(page)).toMatch(/Filter.*Status.*dueDate moved later, or Risk is High, Critical/);
    });

    it('is not removed by who thinks better of it, and is gone once it is removed', async () => {
      const page = await there();
      await use(page, 'Remove the endpoint');
      await dialog(page).getByText('Its address and secret are deleted.').waitFor();
      await page.keyboard.press('Escape');
      await dialog(page).waitFor({ state: 'hidden' });
      expect(await focused(page), 'the focus goes back to where it was').toBe('Remove the endpoint…');
      await page.keyboard.press('Enter');
      await dialog(page).getByText('Its address and secret are deleted.').waitFor();
      await use(page, 'Remove the endpoint');
      await page.getByText('Removed planner.').waitFor();
      await page.getByRole('heading', { name: 'Endpoints', exact: true }).waitFor();
      await expect.poll(() => main(page), SOON).not.toContain('planner');
    });

    it('that can not be reached shows what was answered', async () => {
      const page = await open({}, '#/endpoints/none');
      await page.getByRole('alert').first().waitFor();
      expect(await main(page)).toContain('There is no endpoint with this name.');
      expect(await main(page)).not.toContain('Try again');
    });
  });
}
