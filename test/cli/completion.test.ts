import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { completionScript } from '../../cli/completion/scripts.ts';
import { run } from '../kit/cli/world.ts';
import { temporaryDirectory } from '../kit/temporary.ts';

const answers = {
  endpoints: { endpoints: [{ name: 'crm' }, { name: 'chat' }, { name: 'a; rm -rf b' }] },
  status: { processes: [{ process: 'launch' }, { process: '$(reboot)' }], endpoints: [] },
};

/** What Tab offers at the end of a line; a blank there begins another word. */
async function offered(line: string): Promise<string[]> {
  const { code, out, err } = await run(['complete', '--', ...line.split(' ')], { answers });
  expect([code, err]).toEqual([0, '']);
  return out.split('\n').filter(Boolean);
}

describe('Tab', () => {
  it.each([
    ['st', ['start', 'status']],
    ['start --on', ['--once']],
    ['init --d', ['--doctor']],
    ['deploy --st', []],
    ['deploy --', ['--config', '--yes', '--help']],
    ['des', ['destroy']],
    ['rest', ['restore-table', 'restore']],
    ['restore-table --d', ['--dry-run', '--data']],
    ['endpoints re', ['resume', 'remove']],
    ['--stack x endpoints pau', ['pause']],
    ['events --fo', ['--follow']],
    ['endpoints --re', ['--region']],
    ['completion ', ['bash', 'zsh', 'fish']],
    ['endpoints pause c', ['crm', 'chat']],
    ['resend an-event --to cr', ['crm']],
    ['actions --endpoint ch', ['chat']],
    ['sweep l', ['launch']],
    ['events --process ', ['launch']],
    ['endpoints pause crm ', []],
    ['events --type task.', ['task.created', 'task.updated', 'task.deleted', 'task.due', 'task.overdue']],
    ['events --since ', []],
    ['dance ', []],
  ])('behind "changewire %s" offers %j', async (line, words) => {
    expect(await offered(line)).toEqual(words);
  });

  it('offers every command, and none that is hidden', async () => {
    const all = await offered('');
    const some = ['status', 'events', 'endpoints', 'replay', 'doctor', 'completion'];
    expect(all).toEqual(expect.arrayContaining(some));
    expect(all).not.toContain('complete');
  });

  it('asks whom the line names, and says nothing when nobody answers', async () => {
    const line = ['endpoints', 'pause', ''];
    const { places } = await run(['complete', '--', '--stack', 'S', '--region', 'R', ...line], { answers });
    expect(places).toEqual([{ stack: 'S', region: 'R' }]);
    const failing = { endpoints: () => Promise.reject(new Error('away')) };
    const silent = await run(['complete', '--', ...line], { answers: failing });
    expect(silent).toMatchObject({ code: 0, out: '', err: '' });
  });
});

describe('the script for bash', () => {
  it('takes what the command offers as words, and evaluates none of it', () => {
    const directory = join(temporaryDirectory(), "it's here");
    mkdirSync(directory);
    const launcher = join(directory, 'changewire.js');
    const printing = "console.log(process.argv.slice(2).join('|')); console.log('$(touch evaluated)');";
    writeFileSync(launcher, printing);
    const bin = join(directory, 'node');
    writeFileSync(bin, `#!/bin/sh\nexec '${process.execPath}' "$@"\n`);
    chmodSync(bin, 0o755);
    const script = `${completionScript('bash', launcher)}
COMP_WORDS=(changewire endpoints pause 'c*'); COMP_CWORD=3; _changewire; printf '%s\\n' "\${COMPREPLY[@]}"; ls`;
    const env = { PATH: `${directory}:/usr/bin:/bin` };
    const options = { cwd: directory, env, encoding: 'utf8' } as const;
    const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', script], options);
    expect(stderr).toBe('');
    const offered = ['complete|--|endpoints|pause|c*', '$(touch evaluated)'];
    expect(stdout.split('\n')).toEqual([...offered, 'changewire.js', 'node', '']);
  });

  it.each(['bash', 'zsh', 'fish'])('there is one for %s', async shell => {
    const { code, out } = await run(['completion', shell]);
    expect([code, out]).toEqual([0, expect.stringContaining('/cli/changewire.js')]);
  });
});
