import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Bug } from './bug.ts';
import { BUGS } from './bugs.ts';

/** Puts each deliberate bug into a copy of the code, and simulates until an invariant catches it: shows that the simulation
 *  would find such a bug in the code itself. Fails when one is not found within 1,000 seeds. */
const SEEDS = 1_000;
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const COPIED = ['functions', 'local', 'test/simulation', 'test/support', 'package.json'];

let missed = 0;
const wanted = process.argv.slice(2);
for (const bug of BUGS.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  const found = await find(bug);
  if (!found) missed += 1;
  process.stdout.write(`${bug.name.padEnd(46)} ${found ?? `NOT FOUND within ${SEEDS} seeds`}\n`);
}
process.exitCode = missed > 0 ? 1 : 0;

/** How soon, and by which invariant. */
async function find(bug: Bug): Promise<string | undefined> {
  const directory = mkdtempSync(join(tmpdir(), 'changewire-bug-'));
  try {
    for (const path of COPIED) cpSync(join(ROOT, path), join(directory, path), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
    put(bug, directory);
    const output = await simulated(directory);
    const [, seeds] = /The first failure came after (\d+) seeds/.exec(output) ?? [];
    const [, message] = /FAILED: (.*)/.exec(output) ?? [];
    return seeds && message && `after ${seeds.padStart(4)} seeds: ${message.slice(0, 110)}`;
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
        `The bug "${name}" no longer fits ${file}: "${find}" must stand there once. Write it anew in bugs.ts.`,
      );
    writeFileSync(path, parts.join(replace));
  }
}

async function simulated(directory: string): Promise<string> {
  const args = ['test/simulation/simulate.ts', '--seeds', String(SEEDS), '--base', '0', '--first'];
  const child = spawn(process.execPath, args, { cwd: directory, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', text => {
    output += text;
  });
  await once(child, 'close');
  return output;
}
