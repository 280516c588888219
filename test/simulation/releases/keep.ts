import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { buildSync } from 'esbuild';
import { keptFile } from './release.ts';

/** `node test/simulation/releases/keep.ts [REF]`: keeps the functions of a release, by its tag or another name of its commit, in place of those kept
 *  before (docs/testing.md). */
const [ref = 'HEAD'] = process.argv.slice(2);
const ENTRY = join(import.meta.dirname, 'functions.ts');
const ROOT = join(import.meta.dirname, '../../..');

const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, maxBuffer: 2 ** 30 });
const commit = git('rev-parse', '--short=10', `${ref}^{commit}`).toString().trim();
const scratch = mkdtempSync(join(tmpdir(), 'changewire-release-'));
try {
  execFileSync('tar', ['-x', '-C', scratch], {
    input: git('archive', commit, 'functions', 'package.json', 'tsconfig.json'),
  });
  const entry = relative(ROOT, ENTRY);
  cpSync(ENTRY, join(scratch, entry), { recursive: true });
  const [bundle] = buildSync({
    ...{ absWorkingDir: scratch, entryPoints: [entry], write: false, logLevel: 'warning' },
    ...{ bundle: true, platform: 'node', target: 'node24', format: 'cjs' },
    // The models and the functions must know the same classes of the SDK.
    packages: 'external',
  }).outputFiles;
  const { version } = JSON.parse(readFileSync(join(scratch, 'package.json'), 'utf8')) as { version: string };
  const file = join(import.meta.dirname, `${version}-${commit}.cjs.br`);
  const before = keptFile();
  if (before) rmSync(before);
  writeFileSync(file, brotliCompressSync(bundle?.contents ?? ''));
  process.stdout.write(`Wrote ${file}. Commit it.\n`);
} finally {
  rmSync(scratch, { recursive: true });
}
