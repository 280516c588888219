import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { keepFailure } from './keep.ts';

let directory: string;
let path: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'changewire-keep-'));
  path = join(directory, 'seeds.jsonl');
});
afterEach(() => rmSync(directory, { recursive: true }));

it('appends each failing seed with the commit, one JSON object per line', () => {
  keepFailure(path, { seed: 7, message: 'invariant 1:\nlost' });
  keepFailure(path, { seed: 8, message: 'invariant 2' }, 'abc');
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  expect(lines.map(line => JSON.parse(line))).toEqual([
    // No commit in a copy without git's history.
    {
      seed: 7,
      commit: expect.toBeOneOf([expect.stringMatching(/^[0-9a-f]{40}(-dirty)?$/), null]),
      message: 'invariant 1:\nlost',
    },
    { seed: 8, commit: 'abc', message: 'invariant 2' },
  ]);
});

const simulate = (...args: string[]) =>
  spawnSync(process.execPath, [join(import.meta.dirname, 'simulate.ts'), ...args], { encoding: 'utf8' });

it('simulates for the given time, and keeps nothing when every seed passes', () => {
  const { stdout, status } = simulate('--for', '300ms', '--keep', path, '--workers', '1', '--base', '0');
  expect(stdout).toMatch(/^Seeds from 0 on for 300ms, 1 at a time\./);
  expect(stdout).toMatch(/(\d+) of \1 seeds passed/);
  expect(existsSync(path)).toBe(false);
  expect(status).toBe(0);
}, 60_000);
