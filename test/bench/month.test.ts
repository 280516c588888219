import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Measured } from '../../bench/cost/measure.ts';
import { costPage } from '../../bench/cost/page.ts';
import { configOf, processesOf, SIZES, type Size } from '../../bench/cost/sizes.ts';
import { readConfig } from '../../functions/config/read.ts';

const sized = (name: Size['name']) => SIZES.find(size => size.name === name) as Size;

describe('the sizes', () => {
  it.each(SIZES)('are configurations: $title', size => {
    const config = readConfig(configOf(size));
    const [stack] = [config].flat();
    expect(stack?.workspaces.flatMap(({ processes }) => processes)).toHaveLength(size.processes);
    expect(stack?.workspaces).toHaveLength(size.workspaces);
    expect(stack?.endpoints).toHaveLength(size.endpoints);
  });

  it('have each event wanted by three endpoints', () => {
    const large = sized('large');
    const { endpoints } = configOf(large) as { endpoints: { filter: { processes: string[] } }[] };
    for (const { processId } of processesOf(large).slice(0, 200)) {
      const wanting = endpoints.filter(({ filter }) => filter.processes.includes(processId));
      expect(wanting).toHaveLength(large.wanted);
    }
  });
});

describe('docs/cost.md', () => {
  const root = join(import.meta.dirname, '../..');
  const now = JSON.parse(readFileSync(join(root, 'bench/cost/measured/now.json'), 'utf8')) as Measured;

  it('is what `npm run cost` prints', () => {
    expect(readFileSync(join(root, 'docs/cost.md'), 'utf8')).toBe(costPage(now));
  });
});
