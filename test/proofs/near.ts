import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { argv, execPath, stdout } from 'node:process';

/** `npm run test:near -- [COMMIT]`: types, and the nearest tests of what changed since a commit, by default the last one:
 *  those that import it, or else those of its folder. `npm test` runs all tests. */

function git(...args: string[]): string[] {
  return spawnSync('git', args, { encoding: 'utf8' }).stdout.split('\n').filter(Boolean);
}

function nearestTo(file: string): string[] {
  if (/\.test\.tsx?$/.test(file)) return existsSync(file) && !file.includes('.long.') ? [file] : [];
  const importing = git('grep', '-lF', `/${file.replace(/^test\//, '')}'`, '--', 'test/*.test.ts');
  if (importing.length > 0) return importing.filter(test => !test.includes('.long.'));
  const [room = ''] = file.replace(/^(functions|test\/kit|test)\//, '').split('/');
  return existsSync(`test/${room}/`) ? [`test/${room}/`] : [];
}

const [since = 'HEAD'] = argv.slice(2);
const changed = [...git('diff', '--name-only', since), ...git('ls-files', '--others', '--exclude-standard')];
const tests = [...new Set(changed.flatMap(nearestTo))];
stdout.write(`${tests.join('\n') || 'No tests of what changed.'}\n`);
const commands = [['node_modules/typescript/bin/tsc']];
if (tests.length > 0)
  commands.push(['node_modules/vitest/vitest.mjs', 'run', '--reporter=dot', '--passWithNoTests', ...tests]);
const codes = await Promise.all(
  commands.map(async args => (await once(spawn(execPath, args, { stdio: 'inherit' }), 'exit'))[0]),
);
process.exitCode = codes.every(code => code === 0) ? 0 : 1;
