import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { measure } from './measure.ts';
import { ENTRIES } from './options.ts';
import { budgetOf, table } from './table.ts';

/** `npm run build`: bundles every function into dist/, prints the sizes, and fails over the budget. */
const { values } = parseArgs({ options: { outdir: { type: 'string', default: 'dist' } } });
rmSync(values.outdir, { recursive: true, force: true });
const bundles = Object.entries(ENTRIES).map(([name, entry]) => measure(name, entry, values.outdir));
process.stdout.write(table(bundles));
const heavy = bundles.filter(bundle => bundle.gzip > budgetOf(bundle.name));
for (const { name, largest } of heavy)
  process.stderr.write(`${name} is over the budget; largest: ${largest}\n`);
if (heavy.length > 0) process.exitCode = 1;
