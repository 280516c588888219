import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { prettyJson } from '../docs/pretty-json.ts';
import { type Measured, measure } from './cost/measure.ts';
import { costPage } from './cost/page.ts';

/**
 * The cost of the stack on AWS, for three sizes. `npm run cost` prints docs/cost.md from the last
 * measurement, in bench/cost/measured. `--measure` measures again first (ten minutes), `--write` writes the
 * measurement and the page.
 */
const { values } = parseArgs({
  options: {
    measure: { type: 'boolean' },
    write: { type: 'boolean' },
    projects: { type: 'string', default: '2000' },
  },
});
const ROOT = resolve(import.meta.dirname, '..');
const FILE = join(import.meta.dirname, 'cost/measured/now.json');

async function measureNow(): Promise<Measured> {
  const args = ['rev-parse', '--short', 'HEAD'];
  const commit = execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
  const report = (text: string) => process.stderr.write(`${text}\n`);
  const measured = await measure(ROOT, commit, report, Number(values.projects));
  if (values.write) writeFileSync(FILE, `${prettyJson(measured)}\n`);
  return measured;
}

const measured = values.measure ? await measureNow() : (JSON.parse(readFileSync(FILE, 'utf8')) as Measured);
const page = costPage(measured);
process.stdout.write(page);
if (values.write) writeFileSync(join(ROOT, 'docs/cost.md'), page);
