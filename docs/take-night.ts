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
 * `node docs/take-night.ts`: writes the transcript of docs/operating.md: what a real run over the simulated
 * service shows on a terminal of 88 columns while its receiver breaks and is repaired. Takes some minutes,
 * because an endpoint counts as failing only after a minute of failures.
 */
const DOCUMENT = fileURLToPath(new URL('operating.md', import.meta.url));
const START = fileURLToPath(new URL('../local/start.js', import.meta.url));
const COLUMNS = 88;

const directory = mkdtempSync(join(tmpdir(), 'changewire-night-'));
const data = join(directory, '.changewire/simulated');

/** A receiver whose answer changes while it runs. */
let answer = { status: 204, body: '' };
const receiver = createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(answer.status).end(answer.body));
});
await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve));

/** The output of one command. */
async function shown(line: string): Promise<string> {
  let text = '';
  const write = (part: string) => {
    text += part;
  };
  const terminal = { write, isTTY: true, columns: COLUMNS };
  const world: World = {
    ...{ stdout: terminal, stderr: terminal, env: { NO_COLOR: '1' }, open },
    ...{ doctor: async () => undefined, browse: async () => undefined },
    ...{ backUp: async () => data, planRestore: () => Promise.reject(), execute: async () => 1 },
    stackTable: () => Promise.reject(),
    input: { canAsk: false, confirm: async () => false, line: async () => '', secret: async () => '' },
    directory,
    clock: Date.now,
    sleep: wait,
    interrupted: new AbortController().signal,
  };
  await changewire([...line.split(' '), '--data', data], world);
  return text.trimEnd().replaceAll(` --data ${data}`, '');
}

/** Repeats a command until its output meets a condition. */
async function until(line: string, isMet: (text: string) => boolean): Promise<void> {
  while (!isMet(await shown(line))) await wait(1000);
}

const run = spawn(process.execPath, [START], { cwd: directory, stdio: 'ignore' });
try {
  await until('status', text => text.includes('simulated/launch') && !/unknown|baseline|never/.test(text));
  const { port } = receiver.address() as AddressInfo;
  await shown(`endpoints add crm --webhook http://127.0.0.1:${port}/events --filter events=task.updated`);
  await until('endpoints attempts crm', text => text.includes('answered 204'));
  // The receiver's new version accepts events and loses them; then it fails.
  await wait(30_000);
  answer = { status: 500, body: 'relation "changes" does not exist' };
  await until('endpoints list', text => text.includes('failing'));
  await wait(40_000);
  const broken = await take('changewire status');
  answer = { status: 204, body: '' };
  const repaired = [
    await take('changewire endpoints resume crm'),
    await take('changewire replay --to crm --since 10m --yes'),
  ];
  keep([
    'The alarm *endpoints failing* rings. `status` names the endpoint and its answer:',
    fenced(broken),
    "The receiver's new version lacks a table; before it failed, it accepted events and lost them. Once it is repaired, send the backlog, and the lost events again:",
    fenced(...repaired),
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
