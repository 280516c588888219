import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { prettyJson } from '../docs/pretty-json.ts';
import { type Measured, measure } from './cost/measure.ts';
import { costPage } from './cost/page.ts';

/**
 * What the stack costs on AWS, for three sizes. `npm run cost` prints docs/cost.md from the figures of
 * the last measurement, in bench/cost/measured. `--measure` measures anew first (ten minutes), `--write`
 * writes figures and page, and `--against DIR` measures another checkout as the state before; its messages must name processes as
 * those of this one.
 */
const { values } = parseArgs({
  options: {
    measure: { type: 'boolean' },
    write: { type: 'boolean' },
    against: { type: 'string' },
    projects: { type: 'string', default: '2000' },
  },
});
const ROOT = resolve(import.meta.dirname, '..');
const say = (text: string) => process.stderr.write(`${text}\n`);

async function figures(name: 'before' | 'now', checkout: string | undefined): Promise<Measured> {
  const file = join(import.meta.dirname, 'cost/measured', `${name}.json`);
  if (checkout === undefined) return JSON.parse(readFileSync(file, 'utf8')) as Measured;
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
    cwd: checkout,
    encoding: 'utf8',
  }).trim();
  const measured = await measure(checkout, commit, say, Number(values.projects));
  if (values.write || !existsSync(file)) writeFileSync(file, `${prettyJson(measured)}\n`);
  return measured;
}

const before = await figures('before', values.against && resolve(values.against));
const now = await figures('now', values.measure ? ROOT : undefined);
const page = costPage(before, now);
process.stdout.write(page);
if (values.write) writeFileSync(join(ROOT, 'docs/cost.md'), page);
