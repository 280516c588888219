import { describe, expect, it } from 'vitest';
import type { Given } from './given.ts';
import { axeFindings, goTo, NARROW, overflow, WIDE } from './tab.ts';

/** Each with its heading: till that is there, the page is the one before. */
const PLACES = [
  ['now', /^Now$/],
  ['history', /^History$/],
  ['history?project=1001&process=onboarding', /^History › ./],
  ['endpoints', /^Endpoints$/],
  ['endpoints/crm', /^Endpoints › crm$/],
  ['endpoints/new?new=1', /^Add an endpoint$/],
  ['doctor', /^Doctor$/],
  ['nonsense', /^Page not found$/],
] as const;

export function looksTests({ open }: Given): void {
  describe.each([
    ['light', 1600, WIDE, true],
    ['dark', 1600, WIDE, false],
    ['light', 400, NARROW, false],
    ['dark', 400, NARROW, true],
  ] as const)('in %s colours, %i pixels wide', (colorScheme, _, viewport, withAxe) => {
    it('every page is there, nothing is cut off, and axe finds nothing in each width and colour', async () => {
      const page = await open({ viewport, colorScheme });
      for (const [place, name] of PLACES) {
        await goTo(page, `#/${place}`);
        await page.getByRole('heading', { level: 1, name }).waitFor({ state: 'attached' });
        await page.locator('.loading').first().waitFor({ state: 'hidden' });
        // Not for each window: axe takes a second, and its findings depend on the width or on the
        // colours, not on both.
        if (withAxe) expect([place, await axeFindings(page)]).toEqual([place, []]);
        expect([place, await overflow(page)]).toEqual([place, 0]);
      }
    });
  });
}
