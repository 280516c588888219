import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { execPath } from 'node:process';

const ROOT = join(import.meta.dirname, '..');
const LINTERS = [
  // Whether the package can be imported; with `--strict`, suggestions are errors.
  (tarball: string) => ['publint/src/cli.js', 'run', tarball, '--strict'],
  // Whether its types match its code. The package has only ES modules, so `require` is not checked.
  (tarball: string) => [
    '@arethetypeswrong/cli/dist/index.js',
    tarball,
    '--profile',
    'esm-only',
    '--no-emoji',
    '--no-color',
  ],
];

/** Checks a tarball with publint and attw. @returns their output @throws Error with their findings */
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
