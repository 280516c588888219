import { exit, stderr, stdout } from 'node:process';
import { parseArgs } from 'node:util';
import { parseDuration } from '../../local/basics/duration.ts';
import { onInterrupt } from '../../local/basics/process.ts';
import { crash } from './crash.ts';

/** `npm run test:crash`: kills the local run 100 times, and shows that subscribers lose nothing by it (docs/self-hosting.md).
 *  Exit code 1 when they do, 2 when the command line can't be followed. */

const { seed, kills, limit } = read() ?? refuse();
const interrupted = new AbortController();
onInterrupt({
  onFirst: signal => interrupted.abort(new Error(`${signal}: it ends here.`)),
  onSecond: () => exit(130),
});

try {
  const say = (line: string) => void stdout.write(`${line}\n`);
  stdout.write(`\n${await crash({ seed, kills, limit, say, signal: interrupted.signal })}\n`);
} catch (error) {
  stdout.write(`\n${error instanceof Error ? error.message : error}\n`);
  stdout.write(`To repeat it: npm run test:crash -- --seed ${seed} --kills ${kills}\n`);
  process.exitCode = 1;
}

function read(): { seed: number; kills: number; limit: number } | undefined {
  const options = {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
    kills: { type: 'string', default: '100' },
    limit: { type: 'string', default: '9m' },
  } as const;
  try {
    const { values } = parseArgs({ options });
    const [seed, kills, limit] = [Number(values.seed), Number(values.kills), parseDuration(values.limit)];
    const fits = Number.isSafeInteger(seed) && Number.isInteger(kills) && kills > 0;
    return fits && limit !== undefined ? { seed, kills, limit } : undefined;
  } catch {
    return undefined;
  }
}

function refuse(): never {
  stderr.write('Usage: npm run test:crash -- [--seed 123] [--kills 100] [--limit 9m]\n');
  exit(2);
}
