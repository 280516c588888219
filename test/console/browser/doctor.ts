import { describe, expect, it } from 'vitest';
import { flat, type Given } from '../../kit/console/given.ts';
import { axeFindings } from '../../kit/console/tab.ts';
import { use } from './keyboard.ts';

export function doctorTests({ open }: Given): void {
  describe('the doctor', () => {
    it('examines the service, and shows what it found', async () => {
      const page = await open({}, '#/doctor');
      await use(page, 'Probe the service');
      await page.getByRole('heading', { name: /\d+ findings/ }).waitFor({ timeout: 20_000 });
      expect(flat(await page.locator('main').innerText())).toContain('Suggested settings');
      expect(await axeFindings(page)).toEqual([]);
    });
  });
}
