import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { open } from '../cli/context/runner.ts';
import type { World } from '../cli/context/world.ts';
import { changewire } from '../cli/program.ts';
import { sleep as wait } from '../functions/basics/system.ts';

/**
 * `node docs/take-night.ts`: writes the transcript of docs/operating.md. It is what a real run over the simulated service shows on a terminal of
 * 88 columns, while its receiver breaks and is repaired. Takes some minutes: an endpoint is failing only when it failed for one.
 */
const DOCUMENT = fileURLToPath(new URL('operating.md', import.meta.url));
const START = fileURLToPath(new URL('../local/start.js', import.meta.url));
const COLUMNS = 88;

const directory = mkdtempSync(join(tmpdir(), 'changewire-night-'));
const data = join(directory, '.changewire/simulated');

/** A receiver that is changed while it runs. */
let answer = { status: 204, body: '' };
const receiver = createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(answer.status).end(answer.body));
});
await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve));

/** What one command shows. */
async function shown(line: string): Promise<string> {
  let text = '';
  const write = (part: string) => {
    text += part;
  };
  const terminal = { write, isTTY: true, columns: COLUMNS };
  const world: World = {
    ...{ stdout: terminal, stderr: terminal, env: { NO_COLOR: '1' }, open },
    ...{ doctor: async () => undefined, browse: async () => undefined },
    ...{ backUp: async () => data, execute: async () => 1, stackTable: () => Promise.reject() },
    input: { canAsk: false, confirm: async () => false, line: async () => '', secret: async () => '' },
    directory,
    clock: Date.now,
    sleep: wait,
    interrupted: new AbortController().signal,
  };
  await changewire([...line.split(' '), '--data', data], world);
  return text.trimEnd();
}

/** Asks again until that is so. */
async function until(line: string, isSo: (text: string) => boolean): Promise<void> {
  while (!isSo(await shown(line))) await wait(1000);
}

const run = spawn(process.execPath, [START], { cwd: directory, stdio: 'ignore' });
try {
  await until('status', text => (text.match(/ well /g) ?? []).length === 2);
  const { port } = receiver.address() as AddressInfo;
  await shown(`endpoints add crm --webhook http://127.0.0.1:${port}/events --filter events=task.updated`);
  await until('endpoints attempts crm', text => text.includes('answered 204'));
  // A version is deployed that takes what comes, and loses it; then it fails.
  await wait(30_000);
  answer = { status: 500, body: 'relation "changes" does not exist' };
  await until('endpoints list', text => text.includes('failing'));
  await wait(40_000);
  const before = [await take('changewire status'), await take('changewire endpoints attempts crm --limit 3')];
  answer = { status: 204, body: '' };
  const repaired = [
    await take('changewire endpoints test crm'),
    await take('changewire endpoints resume crm'),
  ];
  await wait(3000);
  const replayed = await take('changewire replay --to crm --since 10m --yes');
  await until('endpoints list', text => !text.includes('oldest') && !text.includes('replay'));
  const after = await take('changewire status');
  keep([
    'The alarm of the failing endpoints rings; on one machine, the run says so. What is it?',
    fenced(before[0]),
    'Why?',
    fenced(before[1]),
    "So the receiver's new version lacks a table. Its people repair it. Does it take events again, and what waits for it?",
    fenced(...repaired),
    'For some minutes before it failed it had taken events, and lost them. They are sent once more:',
    fenced(replayed),
    'And all is well:',
    fenced(after),
  ]);
} finally {
  run.kill();
  receiver.close();
  receiver.closeAllConnections();
  await new Promise(resolve => run.once('close', resolve));
  rmSync(directory, { recursive: true, force: true });
}

async function take(line: string): Promise<string> {
  return `$ npx ${line}\n${await shown(line.replace('changewire ', ''))}`;
}

function fenced(...texts: readonly (string | undefined)[]): string {
  return ['```', texts.join('\n\n'), '```'].join('\n');
}

function keep(parts: readonly string[]): void {
  const [begin, end] = ['<!-- night: node docs/take-night.ts -->', '<!-- /night -->'];
  const text = readFileSync(DOCUMENT, 'utf8');
  const [head = '', rest = ''] = text.split(begin);
  const [, tail = ''] = rest.split(end);
  writeFileSync(DOCUMENT, `${head}${begin}\n${parts.join('\n\n')}\n${end}${tail}`);
}
