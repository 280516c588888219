import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { EXIT_UNAVAILABLE } from '../deployed/available.ts';

it('contract:aws runs on the emulator, finds its known differences alone, and removes all that it created', async () => {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), '--emulator'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 240_000,
  });
  const [output, code] = await Promise.all([
    text(child.stdout),
    new Promise(resolve => void child.once('close', resolve)),
  ]);
  if (code === EXIT_UNAVAILABLE) return void process.stdout.write(output);
  expect(code, output).toBe(0);
  expect(output).toMatch(/^Removed \d+ resources; none whose name starts with \S+ is left\.$/m);
}, 300_000);
