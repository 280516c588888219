import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { startRunner } from '../local/cli/runner.ts';
import { pageAddress, readAddress } from '../local/operate/address.ts';
import { parseOptions } from '../local/settings/options.ts';
import type { Output } from '../local/terminal/output.ts';
import { openBrowser } from '../test/kit/browser/browser.ts';
import { startReceiver } from './pictures/receiver.ts';
import { asWebp } from './pictures/webp.ts';

/** Takes the pictures of the console in `docs/console/` from a run over the simulated service: `npm run
 *  pictures`. Check them before you commit. It takes a minute, until the
 *  simulated service has changed often enough. */
const FOLDER = join(import.meta.dirname, 'console');
/** Enough to fill the picture. */
const CHANGES = 16;

const browser = await openBrowser();
if (typeof browser === 'string') throw new Error(browser);
const directory = mkdtempSync(join(tmpdir(), 'changewire-pictures-'));
const crm = await startReceiver(() => 204);
const planner = await startReceiver(count => (count > 3 ? 503 : 204));
const quiet = () => undefined;
const output: Output = {
  isTerminal: false,
  event: quiet,
  info: quiet,
  warn: quiet,
  log: { info: quiet, warn: quiet, error: quiet },
};
const data = join(directory, 'data');
const line = `--data ${data} --webhook ${crm.url} --name crm --webhook ${planner.url} --name planner`;
const runner = await startRunner({
  ...{ options: parseOptions(line.split(' ')), environment: {}, output, clock: Date.now },
});
try {
  runner.watch();
  const address = readAddress(data);
  if (!address) throw new Error('The run did not print its address.');
  mkdirSync(FOLDER, { recursive: true });
  await takeAll(browser, pageAddress(address));
} finally {
  await browser.close();
  await runner.stop();
  for (const receiver of [crm, planner]) await receiver.stop();
  rmSync(directory, { recursive: true, force: true });
}

async function takeAll(in_: Browser, at: string): Promise<void> {
  const page = await opened(in_, at, { width: 1440, height: 760 }, 'light');
  await page
    .locator('a.line')
    .nth(CHANGES - 1)
    .waitFor({ timeout: 180_000 });
  await take(page, 'now');
  await goTo(page, '#/history', '.of-page a.line');
  await take(page, 'history');
  await goTo(page, '#/endpoints/planner', '#attempts');
  await take(page, 'endpoint');
  const dark = await opened(in_, at, { width: 400, height: 720 }, 'dark');
  await dark.locator('a.line').first().waitFor();
  await take(dark, 'now-dark-narrow');
}

async function opened(
  in_: Browser,
  at: string,
  viewport: { width: number; height: number },
  colorScheme: 'light' | 'dark',
): Promise<Page> {
  const options = { viewport, colorScheme, reducedMotion: 'reduce', timezoneId: 'UTC' } as const;
  const page = await in_.newPage(options);
  await page.goto(at);
  return page;
}

async function goTo(page: Page, place: string, shows: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(place)}`);
  await page.locator(shows).first().waitFor();
  await page.locator('.loading').first().waitFor({ state: 'hidden' });
}

async function take(page: Page, name: string): Promise<void> {
  const png = await page.screenshot({ animations: 'disabled' });
  writeFileSync(join(FOLDER, `${name}.webp`), await asWebp(page.context().browser() as Browser, png));
}
