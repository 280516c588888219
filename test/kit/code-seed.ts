import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** What the seeds of a run are drawn for: what they judge, and what judges it. */
const JUDGED = ['functions', 'local', 'test/simulation', 'test/crash', 'test/kit'];

/** A seed that is another with each change of the code, and the same wherever that is tested: so what fails in one place can be
 *  repeated in every other. Without git's history it is another each day.
 *  @param now ms since 1970 */
export function codeSeed(now: number): number {
  try {
    const cwd = fileURLToPath(new URL('../../', import.meta.url));
    const args = ['rev-parse', ...JUDGED.map(path => `HEAD:${path}`)];
    const stdio: ['ignore', 'pipe', 'ignore'] = ['ignore', 'pipe', 'ignore'];
    const trees = execFileSync('git', args, { cwd, stdio, encoding: 'utf8' }).trim().split('\n');
    return trees.reduce((seed, tree) => (seed * 31 + Number.parseInt(tree.slice(0, 6), 16)) % 100_000, 7);
  } catch {
    return Math.floor(now / 86_400_000);
  }
}
