import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const START = fileURLToPath(new URL('../../local/start.js', import.meta.url));

function start(version: string) {
  const changed = `{ ...process.versions, node: ${JSON.stringify(version)} }`;
  const preload = `Object.defineProperty(process, 'versions', { value: ${changed} });`;
  const imported = `data:text/javascript,${encodeURIComponent(preload)}`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', imported, START, '--help'], {
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

describe('npm start', () => {
  test('on a Node that is too old tells so in one line, with the remedies', () => {
    const { status, stdout, stderr } = start('20.19.1');
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(
      /^changewire: Node 24 or newer is required; this is Node 20\.19\.1\. Run "npm ci", .*nodejs\.org\.\n$/,
    );
  });

  test.each(['24.0.0', '26.1.0'])('on Node %s starts', version => {
    expect(start(version)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('npx changewire start'),
    });
  });
});
