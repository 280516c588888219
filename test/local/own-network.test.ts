import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../kit/temporary.ts';

const ADDRESS = '10.1.2.3';
/** Begins a network of its own, in which the host `n8n` has ADDRESS, and there is nothing else. */
const SETUP = 'ip link set lo up && ip addr add "$1/32" dev lo && mount --bind "$2" /etc/hosts';
const within = ['-rnm', 'sh', '-c', `${SETUP} && shift 2 && exec "$@"`, 'sh', ADDRESS];
const canUnshare = spawnSync('unshare', [...within, '/etc/hosts', 'true']).status === 0;
const why = canUnshare ? 'runs here' : 'no network namespaces here';

test.runIf(canUnshare)(`a receiver by a bare name gets events where networks names it alone (${why})`, () => {
  const directory = temporaryDirectory();
  const hosts = join(directory, 'hosts');
  writeFileSync(hosts, `127.0.0.1 localhost\n${ADDRESS} n8n\n`);
  const program = join(import.meta.dirname, '../kit/local/compose.ts');
  const args = [...within, hosts, process.execPath, program, directory, ADDRESS];
  const printed = execFileSync('unshare', args);
  const { refused, codes, received } = JSON.parse(printed.toString());
  expect([refused.code, refused.said]).toEqual([2, expect.stringMatching(/n8n.*networks/)]);
  expect(codes).toEqual([0, 0]);
  expect(received).toEqual(['n8n:5678 project.created']);
});
