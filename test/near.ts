import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { argv, execPath, stdout } from 'node:process';

/** `npm run test:near -- [COMMIT]`: types, and the tests of the folders that changed since a commit, by default the last
 *  one, as far as they import what changed. Tests of other folders import it, too: `npm test` runs them. */

function git(...args: string[]): string[] {
  return spawnSync('git', args, { encoding: 'utf8' }).stdout.split('\n').filter(Boolean);
}

/** Where a file is tested: `functions/pass/commit.ts` in `test/pass/`, `cli/show/status.ts` in `test/cli/`. */
function testsOf(file: string): string[] {
  if (/^test\/.*\.test\.ts$/.test(file)) return [file];
  const [room = ''] = file.replace(/^(functions|test\/kit|test)\//, '').split('/');
  return room !== '' && existsSync(`test/${room}/`) ? [`test/${room}/`] : [];
}

const [since = 'HEAD'] = argv.slice(2);
const changed = [...git('diff', '--name-only', since), ...git('ls-files', '--others', '--exclude-standard')];
const tests = [...new Set(changed.flatMap(testsOf))];
stdout.write(`${tests.length === 0 ? 'No tests of what changed' : tests.join(' ')}\n`);
const commands = [['node_modules/typescript/bin/tsc']];
if (tests.length > 0)
  commands.push(['node_modules/vitest/vitest.mjs', 'run', '--reporter=dot', '--changed', since, ...tests]);
const codes = await Promise.all(
  commands.map(async args => (await once(spawn(execPath, args, { stdio: 'inherit' }), 'exit'))[0]),
);
process.exitCode = codes.every(code => code === 0) ? 0 : 1;
