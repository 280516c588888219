import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { execPath } from 'node:process';

const ROOT = join(import.meta.dirname, '..');
const LINTERS = [
  // What a package must be to be imported; `--strict`: advice counts as well.
  (tarball: string) => ['publint/src/cli.js', 'run', tarball, '--strict'],
  // Whether its types are those of its code. It is for ES modules alone: `require` is not asked about.
  (tarball: string) => [
    '@arethetypeswrong/cli/dist/index.js',
    tarball,
    '--profile',
    'esm-only',
    '--no-emoji',
    '--no-color',
  ],
];

/** Has publint and attw look at a tarball. @returns what they said @throws Error with what they found */
export function lintTarball(tarball: string): string {
  return LINTERS.map(argumentsFor => {
    const [script = '', ...args] = argumentsFor(tarball);
    try {
      return execFileSync(execPath, [join(ROOT, 'node_modules', script), ...args], { encoding: 'utf8' });
    } catch (error) {
      const { stdout, stderr } = error as { stdout: string; stderr: string };
      throw new Error(`${script} found in ${tarball}:\n${stdout}${stderr}`);
    }
  }).join('\n');
}
