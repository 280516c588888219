import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { openBrowser } from '../../kit/browser/browser.ts';
import { start } from '../command.ts';
import { REGION } from '../emulator/environment.ts';
import type { Operator } from '../operators.ts';
import { until } from '../until.ts';
import { type OwnEmulator, PROCESS, type World } from '../world.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const ENDPOINT = 'webhook';
const WITHIN = 60_000;

/** What an operator sees of a stack, and does there, in a browser: the page is on this machine, and asks with their credentials. */
export async function throughThePage({ report, operators, stack }: World, own: OwnEmulator): Promise<void> {
  report.part('The console');
  const browser = await openBrowser();
  if (typeof browser === 'string') return report.skipped('the console', browser);
  const { act } = await operators();
  const child = start(`console --stack ${stack.name} --region ${REGION}`, { ...own.gate, ...act }, 600_000);
  child.stderr?.pipe(process.stderr);
  const address = once(createInterface(child.stdout as Readable), 'line').then(([line]) => String(line));
  const code = once(child, 'close').then(([code]) => code);
  try {
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    page.setDefaultTimeout(WITHIN);
    await report.check('shows the stack: its process, its endpoints, its events', async () => {
      await page.goto(await address);
      await page.locator('.deployment-name', { hasText: stack.name }).waitFor();
      await page.getByRole('link', { name: PROCESS, exact: true }).first().waitFor();
      await page.locator('a.line').first().waitFor();
      mkdirSync(join(ROOT, '.emulator'), { recursive: true });
      await page.screenshot({ path: join(ROOT, '.emulator/console.png') });
      return '.emulator/console.png';
    });
    await report.check('pauses an endpoint, and resumes it', () => pauseAndResume(page, act));
    await report.check('replays to it what it had', () => replay(page, own));
  } finally {
    await browser.close();
    child.kill('SIGINT');
  }
  await report.check('is gone once the command ends', async () => {
    assert.equal(await code, 0);
    await assert.rejects(fetch(new URL('/', await address)));
  });
}

async function pauseAndResume(page: Page, { ask }: Operator): Promise<void> {
  const state = async () => (await ask({ operation: 'endpoint', endpoint: ENDPOINT })).state;
  await page.evaluate(`location.hash = '#/endpoints/${ENDPOINT}'`);
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await page.getByText(`Paused ${ENDPOINT}`).waitFor();
  assert.equal(await state(), 'paused');
  await page.getByRole('button', { name: 'Resume', exact: true }).click();
  await page.getByText(`Resumed ${ENDPOINT}`).waitFor();
  assert.equal(await state(), 'healthy');
}

async function replay(page: Page, { receivers: { webhook } }: OwnEmulator): Promise<string> {
  const had = () => webhook.events.events.length + webhook.events.repeated;
  const before = had();
  await page.getByRole('button', { name: 'Replay since…' }).click();
  await page.getByRole('button', { name: 'Preview', exact: true }).click();
  const would = page.getByText(/\d+ events will be sent to/);
  await would.waitFor();
  const count = Number(/\d+/.exec(await would.innerText())?.[0]);
  assert.ok(count > 0);
  await page.getByRole('button', { name: 'Replay', exact: true }).click();
  await page.getByText(`Replay to ${ENDPOINT} started.`).waitFor();
  await until(120, () => assert.ok(had() > before));
  return `${count} events`;
}
