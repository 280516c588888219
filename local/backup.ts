import { argv, stderr, stdout, umask } from 'node:process';
import { parseArgs } from 'node:util';
import { backUp } from './cli/backup.ts';

/** `npm run backup -- DIR [--data .changewire]`: copies the data directory of a run into DIR, also while it is in use. DIR is a
 *  data directory itself: a start with `--data DIR` goes on from it. Exit code 1 when that failed, 2 when the command line
 *  can't be followed. */

// What it makes holds records and keys: it is for this user alone.
umask(0o077);

function read(): { from: string; to: string } | undefined {
  try {
    const { values, positionals } = parseArgs({
      args: argv.slice(2),
      allowPositionals: true,
      options: { data: { type: 'string', default: '.changewire' } },
    });
    const [to = '', ...others] = positionals;
    return to === '' || others.length > 0 ? undefined : { from: values.data, to };
  } catch {
    return undefined;
  }
}

const asked = read();
if (asked === undefined) {
  stderr.write('Usage: npm run backup -- DIR [--data .changewire]\n');
  process.exitCode = 2;
} else {
  try {
    backUp(asked.from, asked.to);
    stdout.write(
      `${asked.from} is copied to ${asked.to}. A start with --data ${asked.to} goes on from there.\n`,
    );
  } catch (error) {
    stderr.write(`backup: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
