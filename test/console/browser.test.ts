import { expect, it, onTestFinished } from 'vitest';
import { openBrowser } from '../kit/browser/browser.ts';
import { SOON } from '../kit/console/given.ts';
import { openRun } from '../kit/console/run.ts';
import { openTab } from '../kit/console/tab.ts';
import { tabTo, use } from './browser/keyboard.ts';

/** What a browser has for the second click of a double-click. */
const SECOND_CLICK = { detail: 2 };

/** The short form of browser.long.test.ts. */
it('the console opens in a browser, and pauses and resumes an endpoint', async () => {
  const browser = await openBrowser();
  if (typeof browser === 'string')
    return void process.stderr.write(`The console was not tested in a browser. ${browser}\n`);
  onTestFinished(() => browser.close());
  const run = await openRun();
  onTestFinished(run.close);
  const { page, wrong } = await openTab(browser, run.address());
  await page.getByText('Live', { exact: true }).waitFor();
  await page.evaluate("location.hash = '#/endpoints/crm'");
  await page.getByRole('heading', { level: 1, name: /crm/ }).waitFor();
  await use(page, 'Pause');
  await page.getByText('Paused crm.').waitFor();
  await page.getByRole('button', { name: 'Resume' }).dispatchEvent('click', SECOND_CLICK);
  run.rename('1012', 'While paused');
  await page.locator('.figure', { hasText: 'Waiting' }).getByText('1', { exact: true }).waitFor();
  await use(page, 'Resume');
  await page.getByText('Resumed crm.').waitFor();
  await expect
    .poll(() => run.receiver.received.some(({ body }) => body.includes('While paused')), SOON)
    .toBe(true);
  await use(page, 'Replay since');
  await tabTo(page, 'Until');
  await page.keyboard.type('01');
  await use(page, 'Preview');
  await page.getByText('under Until both or nothing').waitFor();
  await page.keyboard.press('Escape');
  await use(page, 'Replay since');
  // The time is changed before the answer comes, which is then dropped.
  await page.evaluate(`{
    const [since] = document.querySelectorAll('dialog input');
    document.querySelector('dialog .primary').click();
    since.value = '2026-01-02T00:00';
    since.dispatchEvent(new Event('input', { bubbles: true }));
  }`);
  await use(page, 'Preview');
  const isPreviewed = page.getByText(/\d+ events? will be sent to crm again/);
  await isPreviewed.waitFor();
  await page.getByRole('button', { name: 'Replay', exact: true }).dispatchEvent('click', SECOND_CLICK);
  await page.getByLabel('Since').fill('2026-01-01T00:00');
  await use(page, 'Preview');
  await isPreviewed.waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('Replay to crm started.').waitFor();
  const { workspace } = run.service;
  for (const { id } of workspace.projects('launch')) {
    for (const task of workspace.tasks('launch', String(id)))
      workspace.updateTask('launch', String(id), String(task.id), { name: 'One of many' });
  }
  await page.evaluate("location.hash = '#/now'");
  await page.getByText(/^[2-9]\d\d events$/).waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Load more' }).waitFor();
  await use(page, 'Pause');
  await page.getByRole('button', { name: 'Load more' }).waitFor({ state: 'detached' });
  await page.evaluate("location.hash = '#/history'");
  const heading = page.getByRole('heading', { name: 'What changed' });
  const nextWeek = '{ const { now } = Date; Date.now = () => now() + 604_800_000; }';
  const before = await heading.innerText();
  await page.evaluate(nextWeek);
  const since = page.getByRole('combobox', { name: 'Since' });
  await since.selectOption('today');
  await page.getByRole('heading', { name: 'What changed since today' }).waitFor();
  await since.selectOption('monday');
  await expect.poll(() => heading.innerText(), SOON).toMatch(/Monday/);
  const chosen = await heading.innerText();
  expect(chosen).not.toBe(before);
  await page.evaluate(`${nextWeek} document.dispatchEvent(new Event('visibilitychange'))`);
  await expect.poll(() => heading.innerText(), SOON).not.toBe(chosen);
  expect(wrong).toEqual([]);
});
