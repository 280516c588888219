import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import type { Findings } from './passes/line.ts';
import { MEASUREMENTS, WHOLE } from './passes/measurements.ts';
import { between, pageOf } from './passes/page.ts';

/**
 * What passes cost, each measured together with what it is compared to: `npm run bench`. Ratios matter,
 * times are those of this machine. Prints the table and its notes, and writes the table into docs/performance.md;
 * `npm run bench -- sweep idle` makes only these measurements, and writes nothing. Exit code 1 when a goal is
 * missed.
 */
const { positionals } = parseArgs({ allowPositionals: true });
const names = Object.keys(MEASUREMENTS);
const unknown = positionals.filter(name => !names.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`Unknown measurement: ${unknown.join(', ')}. Available: ${names.join(', ')}.\n`);
  process.exit(2);
}
// Child processes end with this process, through its `exit` event, which a signal alone does not cause.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const began = performance.now();
const minutes = () => ((performance.now() - began) / 60_000).toFixed(1);
const print = (text: string) => process.stderr.write(`${minutes()} min: ${text}\n`);
const isWhole = positionals.length === 0;
const findings: Findings[] = [];
for (const name of isWhole ? names : positionals) {
  const measure = MEASUREMENTS[name];
  if (measure) findings.push(await measure(WHOLE, print));
}
const [{ model = '' } = {}, { length: cores }] = [cpus()[0], cpus()];
const when = new Date().toISOString().slice(0, 10);
const where = `Measured on ${when} on ${cores} cores of ${model.trim()}, with Node ${process.version}, in ${minutes()} minutes.`;
process.stdout.write(`${pageOf(findings)}\n\n${where}\n`);
if (isWhole) {
  const page = new URL('../docs/performance.md', import.meta.url);
  const table = pageOf(findings.map(({ lines }) => ({ lines, notes: [] })));
  writeFileSync(page, between(readFileSync(page, 'utf8'), `${table}\n\n${where}`));
}
if (findings.some(({ lines }) => lines.some(({ isMet }) => !isMet))) process.exitCode = 1;
