import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { env, platform, stdout } from 'node:process';
import { fileURLToPath } from 'node:url';
import { codeSeed } from '../kit/code-seed.ts';

/**
 * `node test/proofs/elsewhere.ts`: `npm start`, and the tests that could notice, as on a platform that there is no embedded
 * DynamoDB for. Both run in a copy of the checkout whose `node_modules` lacks that package; the tests of the DynamoDB
 * implementation run over the model there.
 */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LACKING = '@dynoxide';
/** Tests that import what finds the embedded DynamoDB; not the simulation and its small worlds, which have models alone. */
const NOTICING = [
  ...['related', '--run', 'test/kit/dynamodb/dynamodb.ts', '--passWithNoTests=false'],
  ...['--exclude', 'test/simulation/simulation.test.ts', '--exclude', 'test/simulation/orders/*'],
];

/** Links to the same files, which nobody writes to; without what tools keep there for themselves, and would write to. */
function linkAll(from: string, to: string): void {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.name === LACKING || /^\.(cache|vite|vitest|package-lock)/.test(entry.name)) continue;
    if (entry.isDirectory()) linkAll(source, target);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else link(source, target);
  }
}

function link(source: string, target: string): void {
  try {
    linkSync(source, target);
  } catch {
    // The temporary directory is on another file system.
    copyFileSync(source, target);
  }
}

/** What git knows, as it is now, committed or not. */
function copyCheckout(to: string): void {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const { stdout: listed } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  for (const file of listed.split('\0').filter(name => name !== '' && existsSync(join(ROOT, name)))) {
    mkdirSync(dirname(join(to, file)), { recursive: true });
    cpSync(join(ROOT, file), join(to, file));
  }
}

function npm(directory: string, ...args: string[]): boolean {
  stdout.write(`▶ npm ${args.join(' ')}, without ${LACKING}\n`);
  // Of npm for Windows, a script for its shell is all there is.
  const { status } = spawnSync('npm', args, {
    cwd: directory,
    // The copy has no history to make a seed of.
    env: { ...env, CODE_SEED: String(codeSeed(Date.now())) },
    stdio: 'inherit',
    shell: platform === 'win32',
  });
  return status === 0;
}

const directory = mkdtempSync(join(tmpdir(), 'changewire-elsewhere-'));
try {
  copyCheckout(directory);
  linkAll(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
  const well =
    npm(directory, 'start', '--', '--memory', '--once') &&
    npm(directory, 'exec', '--', 'vitest', ...NOTICING);
  process.exitCode = well ? 0 : 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}
