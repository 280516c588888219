import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { COMPILE_CACHE } from '../kit/compile-cache.ts';
import { temporaryDirectory } from '../kit/temporary.ts';

const LAUNCHER = fileURLToPath(new URL('../../cli/changewire.js', import.meta.url));

/** The launcher on a Node that says that it is of this version. */
function launched(version: string, args: readonly string[], launcher = LAUNCHER) {
  const changed = `{ ...process.versions, node: ${JSON.stringify(version)} }`;
  const preload = `Object.defineProperty(process, 'versions', { value: ${changed} });`;
  const imported = `data:text/javascript,${encodeURIComponent(preload)}`;
  const { PATH = '' } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', imported, launcher, ...args], {
    encoding: 'utf8',
    env: { PATH, ...COMPILE_CACHE },
  });
  return { status, stdout, stderr };
}

describe('npx changewire', () => {
  it('runs on Node 24', () => {
    expect(launched('24.0.0', ['--help'])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('Usage: changewire'),
      stderr: '',
    });
  });

  it('by a link to it, on an older Node, ends with the exit code of the Node that npm ci installs', () => {
    const link = join(temporaryDirectory(), 'changewire');
    symlinkSync(LAUNCHER, link);
    expect(launched('20.19.1', ['statsu'], link)).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining('status'),
    });
  });

  it.each([
    [
      'in a checkout, where npm has no Node 24 for the platform,',
      'program.ts',
      /20\.19\.1\. Run npm ci, .*, or install it from /,
    ],
    ['in the package', 'program.js', /20\.19\.1\. Install it from /],
  ])('%s says in one line what to do', (_, main, words) => {
    const directory = temporaryDirectory();
    mkdirSync(join(directory, 'cli'));
    writeFileSync(join(directory, 'cli', main), '');
    const copy = join(directory, 'cli', 'changewire.mjs');
    copyFileSync(LAUNCHER, copy);
    const { status, stdout, stderr } = launched('20.19.1', ['status'], copy);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(
      /^changewire: Node\.js 24 or newer is required; this is Node\.js 20\.19\.1\. .* https:\/\/nodejs\.org\.\n$/,
    );
    expect(stderr).toMatch(words);
  });
});
