import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installInto, packInto } from '../../test/kit/package/tarball.ts';
import { type Findings, median, type Print, rounded, spread } from './line.ts';

export interface StartScale {
  readonly rounds: number;
}

const BANNER = 'Changewire watches';
const GOAL = { seconds: 1, megabytes: 6.5 };

/** The package as a user installs it: its size, and how long a start takes until its first line. The first start
 *  compiles, and is not counted. */
export async function measureStart({ rounds }: StartScale, print: Print): Promise<Findings> {
  const directory = mkdtempSync(join(tmpdir(), 'changewire-start-'));
  try {
    print('packing and installing the package');
    const { tarball } = await packInto(directory);
    const megabytes = statSync(tarball).size / 1e6;
    const folder = join(directory, 'installed');
    await installInto(folder, tarball);
    print('npx changewire start');
    const first = await start(folder);
    const seconds: number[] = [];
    for (let round = 1; round <= rounds; round++) seconds.push(await start(folder));
    return {
      lines: [
        {
          what: '`npx changewire start` until its banner, s',
          goal: `≤ ${GOAL.seconds}`,
          measured: `${spread(seconds)}; the first start ${rounded(first)}`,
          isMet: median(seconds) <= GOAL.seconds,
        },
        {
          what: 'the packed package, MB',
          goal: `≤ ${GOAL.megabytes}`,
          measured: rounded(megabytes),
          isMet: megabytes <= GOAL.megabytes,
        },
      ],
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Starts it, and stops it after its first line. @returns the seconds until then */
async function start(cwd: string): Promise<number> {
  const began = performance.now();
  const child = spawn('npx', ['changewire', 'start', '--memory'], {
    cwd,
    // Its own group: npx does not pass every signal on.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  try {
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8');
    const seconds = new Promise<number>(resolve => {
      child.stdout.on('data', (more: string) => {
        text += more;
        if (text.includes(BANNER)) resolve((performance.now() - began) / 1_000);
      });
    });
    child.stderr.on('data', (more: string) => {
      text += more;
    });
    return await Promise.race([
      seconds,
      ended.then(() => {
        throw new Error(`npx changewire start ended: ${text}`);
      }),
    ]);
  } finally {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
    await ended;
  }
}
