import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { argv, execPath, exit, stdout } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** `node test/proofs/litestream.ts PATH-OF-LITESTREAM`: the recipe of docs/self-hosting.md with the real binary. Kills a
 *  run and its replication at once, restores the replica, and shows that it lacks only the last seconds, that `verify`
 *  finds it whole, and that a run continues with it. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const RUN_MS = 20_000;
/** Twice Litestream's interval. */
const MAX_LOSS_MS = 2_000;

const [litestream = ''] = argv.slice(2);
if (spawnSync(litestream, ['version']).status !== 0) {
  stdout.write('Usage: node test/proofs/litestream.ts PATH-OF-LITESTREAM\n');
  exit(2);
}

interface Event {
  readonly id: string;
  readonly time: string;
}

const directory = mkdtempSync(join(tmpdir(), 'changewire-litestream-'));
const running: ChildProcess[] = [];
const begin = (file: string, args: readonly string[], out: string): ChildProcess => {
  const fd = openSync(join(directory, out), 'a');
  const child = spawn(file, args, { cwd: directory, stdio: ['ignore', fd, 'ignore'] });
  running.push(child);
  return child;
};
const start = (data: string, out: string) =>
  begin(execPath, [join(ROOT, 'local/main.ts'), '--interval', '500ms', '--json', '--data', data], out);
const changewire = (...args: string[]) =>
  spawnSync(execPath, [join(ROOT, 'cli/changewire.js'), ...args], { cwd: directory, encoding: 'utf8' });
const eventsIn = (text: string): Event[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line));

try {
  start('data', 'events.jsonl');
  while (changewire('status', '--data', 'data').status !== 0) await sleep(200);
  const config = readFileSync(join(ROOT, 'docs/self-hosting/litestream.yml'), 'utf8')
    .replace('/var/lib/changewire/', `${join(directory, 'data')}/`)
    .replace(
      /replica:\n(?: +.*\n)+/,
      `replica:\n      type: file\n      path: ${join(directory, 'replica')}\n`,
    );
  writeFileSync(join(directory, 'litestream.yml'), config);
  begin(litestream, ['replicate', '-config', 'litestream.yml'], 'litestream.log');
  await sleep(RUN_MS);
  const killedAt = Date.now();
  for (const child of running) child.kill('SIGKILL');
  await Promise.all(running.map(child => child.exitCode ?? child.signalCode ?? once(child, 'exit')));
  const sent = eventsIn(readFileSync(join(directory, 'events.jsonl'), 'utf8'));
  mkdirSync(join(directory, 'restored'), { mode: 0o700 });
  const restored = join(directory, 'restored/changewire.sqlite');
  const { status, stderr } = spawnSync(
    litestream,
    ['restore', '-config', 'litestream.yml', '-o', restored, join(directory, 'data/changewire.sqlite')],
    { cwd: directory, encoding: 'utf8' },
  );
  assert.equal(status, 0, stderr);
  // The simulated service, which is not a part of the data.
  copyFileSync(join(directory, 'data/service.json'), join(directory, 'restored/service.json'));
  const verified = changewire('verify', '--data', 'restored');
  assert.equal(verified.status, 0, verified.stdout + verified.stderr);
  const kept = changewire('events', '--json', '--limit', 'all', '--data', 'restored').stdout;
  const ids = new Set(eventsIn(kept).map(({ id }) => id));
  const lost = sent.filter(({ id }) => !ids.has(id));
  const oldest = Math.min(killedAt, ...lost.map(({ time }) => Date.parse(time)));
  assert.ok(
    killedAt - oldest <= MAX_LOSS_MS,
    `lost ${lost.length} events of the last ${killedAt - oldest} ms`,
  );
  const before = sent.length - lost.length;
  start('restored', 'continued.jsonl');
  while (eventsIn(readFileSync(join(directory, 'continued.jsonl'), 'utf8')).length < lost.length + 2)
    await sleep(200);
  const again = changewire('verify', '--data', 'restored');
  assert.equal(again.status, 0, again.stdout + again.stderr);
  stdout.write(
    `${before} of ${sent.length} events restored; those missing are of the last ${killedAt - oldest} ms; a run continues.\n`,
  );
} finally {
  for (const child of running) child.kill('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
}
