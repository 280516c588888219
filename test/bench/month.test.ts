import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Measured } from '../../bench/cost/measure.ts';
import { costPage } from '../../bench/cost/page.ts';
import { configOf, processesOf, SIZES, type Size } from '../../bench/cost/sizes.ts';
import { readConfig } from '../../functions/config/read.ts';

it.each(SIZES)('a size is a configuration: $title', size => {
  const [stack] = [readConfig(configOf(size))].flat();
  expect(stack?.workspaces.flatMap(({ processes }) => processes)).toHaveLength(size.processes);
  expect(stack?.workspaces).toHaveLength(size.workspaces);
  expect(stack?.endpoints).toHaveLength(size.endpoints);
});

it('a size has each event wanted by three endpoints', () => {
  const large = SIZES.find(({ name }) => name === 'large') as Size;
  const { endpoints } = configOf(large) as { endpoints: { filter: { processes: string[] } }[] };
  for (const { processId } of processesOf(large).slice(0, 200)) {
    const wanting = endpoints.filter(({ filter }) => filter.processes.includes(processId));
    expect(wanting).toHaveLength(large.wanted);
  }
});

it('docs/cost.md is what `npm run cost` prints', () => {
  const root = join(import.meta.dirname, '../..');
  const now = JSON.parse(readFileSync(join(root, 'bench/cost/measured/now.json'), 'utf8')) as Measured;
  expect(readFileSync(join(root, 'docs/cost.md'), 'utf8')).toBe(costPage(now));
});
