import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { env } from 'node:process';
import { lintTarball } from './lint.ts';
import { unreadiness } from './unreadiness.ts';

/** `npm run release`: runs the tests, then builds and checks the tarballs of the package and of
 *  the one for receivers. It does not publish or tag. */
const ROOT = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const { name, version } = JSON.parse(read('package.json')) as { name: string; version: string };
const tarball = `${name}-${version}.tgz`;
const receivers = `changewire-events-${version}.tgz`;

const why = unreadiness({
  version,
  changelog: read('CHANGELOG.md'),
  changed: output('git', 'status', '--porcelain'),
});
if (why !== undefined) {
  process.stderr.write(`${why}\n`);
  process.exitCode = 1;
} else {
  npm('test');
  npm('pack', '--loglevel=error');
  execFileSync(process.execPath, [join(ROOT, 'package/build-receiver.ts')], { stdio: 'inherit' });
  npm('pack', './dist/changewire-events', '--loglevel=error');
  for (const each of [tarball, receivers]) process.stdout.write(lintTarball(join(ROOT, each)));
  const content = readFileSync(join(ROOT, tarball));
  const integrity = createHash('sha512').update(content).digest('base64');
  process.stdout.write(
    `\n${tarball}: ${(content.length / 1_000_000).toFixed(1)} MB, sha512-${integrity}\n` +
      'To publish:\n' +
      `  npm view ${name} maintainers        # own both names first: npx runs any package that has it\n` +
      `  git tag v${version} && git push --tags\n` +
      `  npm publish ${tarball}        # or distribute the files\n` +
      `  npm publish ${receivers}\n` +
      'Keep the data of this version for the upgrade tests of the next one, and commit it:\n' +
      '  node package/keep-data.ts\n',
  );
}

function output(command: string, ...args: readonly string[]): string {
  return execFileSync(command, args, { cwd: ROOT, encoding: 'utf8' });
}

/** The npm that runs this. */
function npm(...args: readonly string[]): void {
  const cli = env.npm_execpath;
  if (cli === undefined) throw new Error('Run it with "npm run release".');
  execFileSync(process.execPath, [cli, ...args], { cwd: ROOT, stdio: 'inherit' });
}
