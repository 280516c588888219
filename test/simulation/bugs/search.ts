import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Bug } from './bugs.ts';

/** How many seeds are simulated before the bug counts as not found. */
export const SEEDS = 1_000;
/** A bug that makes tests of one file run longer is found, too. */
const TESTS_MS = 5 * 60_000;
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const SIMULATED = ['functions', 'local', 'simulator', 'test/simulation', 'test/kit', 'package.json'];
const CONFIGURED = ['package.json', 'tsconfig.json', 'vitest.config.ts'];
const TESTED = ['functions', 'local', 'simulator', 'test', 'docs', ...CONFIGURED];

/** How soon, and by which invariant, the simulation catches a bug; undefined when it doesn't.
 *  @throws when the seed that catches it fails without the bug, too */
export async function bySimulation(bug: Bug): Promise<string | undefined> {
  const failure = await inCopy(bug, SIMULATED, directory => firstFailure(directory, SEEDS, 0));
  if (!failure) return undefined;
  const { seeds, message } = failure;
  // The failing seed without the bug. One thread takes the seeds in order, from 0 on.
  const same = await firstFailure(ROOT, 1, seeds - 1);
  if (same) throw new Error(`Seed ${seeds - 1} fails without the bug "${bug.name}", too: ${same.message}`);
  return `the simulation, after ${String(seeds).padStart(3)} seeds: ${message.slice(0, 110)}`;
}

async function firstFailure(
  directory: string,
  count: number,
  base: number,
): Promise<{ seeds: number; message: string } | undefined> {
  const args = ['--first', '--workers', '1', '--base', String(base), '--seeds', String(count)];
  const { output, code } = await ran(['test/simulation/simulate.ts', ...args], directory);
  const [, seeds] = /The first failure came after (\d+) seeds/.exec(output) ?? [];
  const [, message] = /FAILED: (.*)/.exec(output) ?? [];
  if (seeds && message) return { seeds: Number(seeds), message };
  if (code !== 0) throw new Error(`The simulation itself failed in ${directory}:\n${output}`);
  return undefined;
}

/** The first order or fault of a small world that finds a bug; undefined when none does. */
export function byEnumeration(bug: Bug, world: string): Promise<string | undefined> {
  return inCopy(bug, SIMULATED, async directory => {
    const storage = world.endsWith('dynamodb') ? 'dynamodb' : 'sqlite';
    const args = [
      'test/simulation/simulate.ts',
      '--all',
      '--workers',
      '1',
      '--storage',
      storage,
      '--only',
      world,
    ];
    const { output, code } = await ran(args, directory);
    const [, message] = /^FAILED: (.*)/m.exec(output) ?? [];
    if (!message && code !== 0) throw new Error(`The enumeration itself failed in ${directory}:\n${output}`);
    return code !== 0 && message ? `the enumeration: ${message.slice(0, 130)}` : undefined;
  });
}

/** Which test of this file fails; undefined when none does. */
export function byTests(bug: Bug, file: string): Promise<string | undefined> {
  return inCopy(bug, TESTED, async directory => {
    const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
    const args = [vitest, 'run', '--reporter=tap-flat', join('test', file)];
    const { output, code } = await ran(args, directory, TESTS_MS);
    if (code === null) return `the tests of ${file}, which do not end`;
    const [, title] = /^not ok \d+ - (.*?) # time/m.exec(output) ?? [];
    return code !== 0 && title ? `the test ${title.slice(0, 130)}` : undefined;
  });
}

async function inCopy<Found>(
  bug: Bug,
  paths: readonly string[],
  find: (directory: string) => Promise<Found>,
): Promise<Found> {
  const directory = mkdtempSync(join(tmpdir(), 'changewire-bug-'));
  try {
    for (const path of paths) cpSync(join(ROOT, path), join(directory, path), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
    put(bug, directory);
    return await find(directory);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function put({ name, edits }: Bug, directory: string): void {
  for (const { file, find, replace } of edits) {
    const path = join(directory, file);
    const parts = readFileSync(path, 'utf8').split(find);
    if (parts.length !== 2)
      throw new Error(
        `The bug "${name}" no longer fits ${file}: "${find}" must stand there once. Write it anew.`,
      );
    writeFileSync(path, parts.join(replace));
  }
}

/** @returns `code`: null when it did not end within `limit` ms */
async function ran(
  args: readonly string[],
  cwd: string,
  limit?: number,
): Promise<{ output: string; code: number | null }> {
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  // With the processes that it started, of which one may be in a loop.
  const end = () => void process.kill(-(child.pid as number), 'SIGKILL');
  const timer = limit === undefined ? undefined : setTimeout(end, limit);
  process.once('exit', end);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', text => {
    output += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(timer);
  process.off('exit', end);
  return { output, code };
}
