import { describe, expect, it } from 'vitest';
import type { Given } from './given.ts';
import { axeFindings, goTo, NARROW, overflow, WIDE } from './tab.ts';

const PLACES = [
  ...['now', 'history', 'history?project=1001&process=onboarding', 'endpoints', 'endpoints/crm'],
  ...['endpoints/new?new=1', 'doctor'],
];

export function looksTests({ open }: Given): void {
  describe.each([
    ['light', 1600, WIDE, true],
    ['dark', 1600, WIDE, false],
    ['light', 400, NARROW, false],
    ['dark', 400, NARROW, true],
  ] as const)('in %s colours, %i pixels wide', (colorScheme, _, viewport, withAxe) => {
    it('every page is there, nothing is cut off, and axe finds nothing in each width and colour', async () => {
      const page = await open({ viewport, colorScheme });
      for (const place of PLACES) {
        await goTo(page, `#/${place}`);
        await page.locator('main h1').waitFor({ state: 'attached' });
        await page.locator('.loading').first().waitFor({ state: 'hidden' });
        // Each takes a second, and what it finds depends on the width or on the colours, not on both.
        if (withAxe) expect([place, await axeFindings(page)]).toEqual([place, []]);
        expect([place, await overflow(page)]).toEqual([place, 0]);
      }
    });
  });
}
