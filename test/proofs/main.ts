import { stderr, stdout } from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parseDuration } from '../../local/basics/duration.ts';
import { codeSeed } from '../kit/code-seed.ts';
import { execute } from './execute.ts';
import { endOf, lineOf, prove } from './proof.ts';
import { proofsOf } from './proofs.ts';

/** `npm run test:proofs -- [--within 30m] [name ...]`: what takes too long for `npm test`, as far as the time allows
 *  (docs/testing.md). Exits with 1 when a proof failed, with 2 when the command line can't be followed. */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { within: { type: 'string', default: '35m' } },
});
const within = parseDuration(values.within);
const now = Date.now();
const all = proofsOf({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  turn: codeSeed(now),
  base: codeSeed(now) * 10_000,
});
const unknown = positionals.filter(name => !all.some(proof => proof.name === name));

if (within === undefined || unknown.length > 0) {
  const names = all.map(({ name }) => `"${name}"`).join(', ');
  stderr.write(`Usage: npm run test:proofs -- [--within 35m] [name ...]; the names are ${names}.\n`);
  process.exitCode = 2;
} else {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  const wanted = all.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  const say = (line: string) => void stdout.write(`${line}\n`);
  const outcomes = await prove(wanted, { deadline: now + within, clock: Date.now, execute, say });
  say(`\nThe long proofs:\n${outcomes.map(each => `  ${lineOf(each)}`).join('\n')}`);
  const failed = outcomes.filter(({ outcome }) => outcome === 'failed');
  for (const { name, output } of failed) if (output !== '') say(`\nHow ${name} failed:\n${endOf(output)}`);
  if (failed.length > 0) process.exitCode = 1;
}
