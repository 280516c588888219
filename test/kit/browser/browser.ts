import { type Browser, chromium, type LaunchOptions } from 'playwright-core';
import { packagedChromium } from './packaged.ts';

/** No sandbox: it needs nested namespaces, which Linux refuses in many containers, and to root always.
 *  The pages are our own. */
const ARGS = ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none', '--force-color-profile=srgb'];
const CHANNELS = ['chrome', 'msedge', 'chromium'] as const;
/** Where Linux distributions have it; playwright doesn't look there. */
const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/snap/bin/chromium'];

/** A browser: that of the package `@sparticuz/chromium`, else a Chrome, Edge or Chromium that is installed; CHROME_PATH goes before both.
 *  @returns why there is none, in one line */
export async function openBrowser(): Promise<Browser | string> {
  const failures: string[] = [];
  for (const [name, options] of candidates()) {
    try {
      return await chromium.launch({ args: ARGS, ...options() });
    } catch (error) {
      failures.push(`${name}: ${firstLine(error)}`);
    }
  }
  return `There is no browser here (CHROME_PATH names one). ${failures.join(' ')}`;
}

function* candidates(): Generator<[name: string, options: () => LaunchOptions]> {
  const { CHROME_PATH } = process.env;
  if (CHROME_PATH !== undefined) return yield [CHROME_PATH, () => ({ executablePath: CHROME_PATH })];
  yield ['@sparticuz/chromium', packaged];
  for (const channel of CHANNELS) yield [channel, () => ({ channel })];
  for (const executablePath of PATHS) yield [executablePath, () => ({ executablePath })];
}

function packaged(): LaunchOptions {
  const executablePath = packagedChromium();
  if (executablePath === undefined) throw new Error('it has none for this machine.');
  return { executablePath };
}

function firstLine(error: unknown): string {
  return String((error as Error).message).split('\n')[0] ?? '';
}
