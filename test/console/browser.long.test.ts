import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openBrowser } from '../kit/browser/browser.ts';
import type { Given } from '../kit/console/given.ts';
import { looksTests } from '../kit/console/looks.ts';
import { openRun, type Run } from '../kit/console/run.ts';
import { openTab } from '../kit/console/tab.ts';
import { accessTests } from './browser/access.ts';
import { doctorTests } from './browser/doctor.ts';
import { endpointTests } from './browser/endpoints.ts';
import { eventTests } from './browser/event.ts';
import { historyTests } from './browser/history.ts';
import { processTests } from './browser/processes.ts';
import { streamTests } from './browser/stream.ts';

/** One browser and one run for all of these. Where there is no browser, one line says that they were not run. */
const browser = await openBrowser();

if (typeof browser === 'string')
  it('is not shown in a browser here', () => {
    process.stderr.write(`The console was not tested in a browser. ${browser}\n`);
  });
else
  describe('the console in a browser', () => {
    let run: Run;
    beforeAll(async () => {
      run = await openRun();
    });
    afterAll(async () => {
      await browser.close();
      await run?.close();
    });

    const openAt = async (address: string, options: Parameters<typeof openTab>[2] = {}) => {
      const tab = await openTab(browser, address, options);
      onTestFinished(async () => {
        const wrong = [...tab.wrong];
        await tab.close();
        expect(wrong).toEqual([]);
      });
      return tab.page;
    };
    const given: Given = {
      run: () => run,
      openAt,
      open: async (options, place) => {
        const page = await openAt(run.address(), options);
        await page.getByText('Live', { exact: true }).waitFor();
        if (place !== undefined) {
          await page.evaluate(`location.hash = ${JSON.stringify(place)}`);
          // The heading of the page before is there, too, until this one has the focus.
          await page.locator('main h1:focus').waitFor({ state: 'attached' });
        }
        return page;
      },
    };
    streamTests(given);
    accessTests(given);
    eventTests(given);
    historyTests(given);
    endpointTests(given);
    doctorTests(given);
    looksTests(given);
    processTests(given);
  });
