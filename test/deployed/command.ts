import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { CREDENTIALS } from './emulator/environment.ts';

const COMMAND = fileURLToPath(new URL('../../cli/changewire.js', import.meta.url));

export interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Whom a command asks, with whose credentials. */
export interface Asked {
  readonly endpoint: string;
  readonly credentials: typeof CREDENTIALS;
}

/** Starts `changewire` of this checkout, as a person types it. */
export function start(line: string, { endpoint, credentials }: Asked, timeout: number): ChildProcess {
  return spawn(process.execPath, [COMMAND, ...line.split(' ')], {
    env: {
      PATH: process.env.PATH,
      AWS_ENDPOINT_URL: endpoint,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      AWS_EC2_METADATA_DISABLED: 'true',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout,
  });
}

export const changewire = (line: string, asked: Asked, timeout = 180_000): Promise<Said> =>
  ended(start(line, asked, timeout));

/** What a program said, once it has ended. */
export async function ended(child: ChildProcess): Promise<Said> {
  const said = { out: '', err: '' };
  for (const [name, stream] of [
    ['out', child.stdout],
    ['err', child.stderr],
  ] as const) {
    assert.ok(stream);
    stream.setEncoding('utf8').on('data', text => {
      said[name] += text;
    });
  }
  const [code, signal] = await once(child, 'close');
  return { code: code ?? signal, ...said };
}
