import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The code that random tests judge, and the code that judges it. */
const JUDGED = ['functions', 'local', 'simulator', 'test/simulation', 'test/crash', 'test/kit'];

/** The seed of random tests. It differs after each change of this code, and is the same on every machine: so a failure can
 *  be repeated anywhere, and comes with the change that caused it. Without git's history it differs each day. The variable
 *  CODE_SEED chooses another.
 *  @param now ms since 1970 */
export function codeSeed(now: number): number {
  const { CODE_SEED: chosen } = process.env;
  if (chosen) return Number(chosen);
  try {
    const cwd = fileURLToPath(new URL('../..', import.meta.url));
    const args = ['rev-parse', ...JUDGED.map(path => `HEAD:${path}`)];
    const stdio: ['ignore', 'pipe', 'ignore'] = ['ignore', 'pipe', 'ignore'];
    const trees = execFileSync('git', args, { cwd, stdio, encoding: 'utf8' }).trim().split('\n');
    return trees.reduce((seed, tree) => (seed * 31 + Number.parseInt(tree.slice(0, 6), 16)) % 100_000, 7);
  } catch {
    return Math.floor(now / 86_400_000);
  }
}
