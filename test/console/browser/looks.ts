import { describe, expect, it } from 'vitest';
import type { Given } from './given.ts';
import { axeFindings, goTo, NARROW, overflow, WIDE } from './tab.ts';

const PLACES = ['now', 'history', 'history?project=1001&process=onboarding', 'endpoints', 'endpoints/crm'];
const MORE = ['endpoints/new?new=1', 'doctor'];

export function looksTests({ open }: Given): void {
  describe.each([
    ['light', 1600, WIDE, 'light'],
    ['dark', 1600, WIDE, 'dark'],
    ['light', 400, NARROW, 'light'],
    ['dark', 400, NARROW, 'dark'],
  ] as const)('in %s colours, %i pixels wide', (_, __, viewport, colorScheme) => {
    it('every page works for everybody, as far as axe can tell, and nothing is cut off', async () => {
      const page = await open({ viewport, colorScheme });
      for (const place of [...PLACES, ...MORE]) {
        await goTo(page, `#/${place}`);
        await page.locator('main h1').waitFor({ state: 'attached' });
        await page.locator('.loading').first().waitFor({ state: 'hidden' });
        expect([place, await axeFindings(page)]).toEqual([place, []]);
        expect([place, await overflow(page)]).toEqual([place, 0]);
      }
    });
  });
}
