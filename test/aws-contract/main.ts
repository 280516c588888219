import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { onInterrupt } from '../../local/basics/process.ts';
import { EXIT_UNAVAILABLE, unavailableLine } from '../deployed/available.ts';
import { ACCOUNT, REGION } from '../deployed/emulator/environment.ts';
import { installEmulator, Unavailable } from '../deployed/emulator/install.ts';
import { startEmulator } from '../deployed/emulator/start.ts';
import { freePort } from '../kit/dynamodb/free-port.ts';
import { accountOf, clientsOf, type Options, PREFIX } from './account.ts';
import { EMULATOR_DIFFERENCES } from './emulator-differences.ts';
import { listAll, removeAll } from './remove.ts';
import type { Difference, Verdict } from './reporter.ts';

const USAGE = `npm run contract:aws -- --account 123456789012 --region eu-central-1
  --yes             do not ask
  --only TEXT       only cases whose titles contain the text
  --clean           remove what a killed run left, and run nothing
  --emulator        start an emulator of AWS and run on it, without an account
  --endpoint URL    run on this emulator
`;
const PLAN = `Creates about 70 queues, 9 topics, 6 tables, a role, a function and 9 event source mappings, sends up
to 100,000 requests, and removes all of it. Costs less than 0.50 USD; takes less than 15 minutes.
All names start with`;

const closers = new AsyncDisposableStack();
let tests: ChildProcess | undefined;
let isInterrupted = false;
let hasLeft = false;
/** The command that removes what a run left. */
let clean = '';

onInterrupt({
  onFirst() {
    isInterrupted = true;
    if (tests === undefined) return void closers.disposeAsync().finally(() => process.exit(130));
    say('Stopping, and removing all. Interrupt again to leave it there.');
    endGroup(tests.pid);
  },
  onSecond() {
    say(`To remove the rest: ${clean}`);
    process.exit(130);
  },
});

/** @returns the exit code */
async function run(): Promise<number> {
  const { options, isYes, isClean, only } = await optionsOf();
  const clients = clientsOf(options);
  const found = await accountOf(clients, options);
  if (found !== options.account) return usage(`The credentials are of account ${found}.`);
  const { account, region, endpoint, prefix } = options;
  const address = endpoint === undefined ? '' : ` --endpoint ${endpoint}`;
  clean = `npm run contract:aws -- --account ${account} --region ${region}${address} --clean`;
  const pause = endpoint === undefined ? 3_000 : 100;
  if (isClean) {
    const left = await listAll(clients, PREFIX);
    for (const { kind, identifier } of left) say(`${kind.what} ${identifier}`);
    if (left.length > 0 && !isYes && !(await agrees('Remove them?'))) return 1;
    await removeAll(clients, PREFIX, { pause, say });
    return 0;
  }
  say(`Account ${account}, ${region}${endpoint === undefined ? '' : `, ${endpoint}`}.\n${PLAN} ${prefix}.`);
  if (!isYes && !(await agrees('Continue?'))) return 1;
  try {
    const verdict = await runTests(options, only);
    return report(verdict, endpoint !== undefined, only);
  } finally {
    await removeAll(clients, prefix, { pause, say }).catch(error => {
      say(`Not all was removed (${error.message}). To remove the rest: ${clean}`);
      hasLeft = true;
    });
  }
}

async function optionsOf() {
  const { values } = parseArgs({
    options: {
      ...{ account: { type: 'string' }, region: { type: 'string' }, endpoint: { type: 'string' } },
      ...{ emulator: { type: 'boolean' }, yes: { type: 'boolean' }, clean: { type: 'boolean' } },
      only: { type: 'string' },
    },
  });
  const isEmulator = values.emulator === true || values.endpoint !== undefined;
  const { account = isEmulator ? ACCOUNT : '', region = isEmulator ? REGION : '' } = values;
  if (!/^\d{12}$/.test(account) || region === '') throw new TypeError('Name an account and a region.');
  if (isEmulator && account !== ACCOUNT) throw new TypeError(`An emulator has account ${ACCOUNT}.`);
  const endpoint = values.emulator ? await startOwnEmulator() : values.endpoint;
  const prefix = `${PREFIX}${randomBytes(3).toString('hex')}`;
  const options: Options = { account, region, prefix, ...(endpoint !== undefined && { endpoint }) };
  const isYes = values.yes === true || values.emulator === true;
  return { options, isYes, isClean: values.clean === true, only: values.only };
}

async function startOwnEmulator(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'changewire-contract-'));
  closers.defer(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
  const certificateFile = join(directory, 'certificate.pem');
  writeFileSync(certificateFile, '');
  const port = await freePort();
  const addresses = { gateEndpoint: `http://127.0.0.1:${port}`, internet: {}, certificateFile };
  const emulator = await startEmulator({ python: installEmulator(), directory, port, ...addresses });
  closers.defer(() => emulator.stop());
  process.once('exit', () => endGroup(emulator.pid));
  return emulator.endpoint;
}

/** In a process group of its own, which Ctrl-C does not reach: what is created must be removed first. */
async function runTests(options: Options, only: string | undefined): Promise<Verdict> {
  const root = join(import.meta.dirname, '../..');
  const filter = only === undefined ? [] : ['-t', only.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')];
  const config = join(import.meta.dirname, 'vitest.config.ts');
  tests = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', '--config', config, ...filter], {
    cwd: root,
    env: { ...process.env, CONTRACT_OPTIONS: JSON.stringify(options) },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    detached: true,
  });
  let verdict: Verdict | undefined;
  tests.on('message', message => {
    verdict = message as Verdict;
  });
  await once(tests, 'close');
  endGroup(tests.pid);
  if (isInterrupted) throw new Error('Interrupted.');
  if (verdict === undefined) throw new Error('The tests ended without a result.');
  return verdict;
}

/** Ends the processes of a group, if some are left. */
function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

let summary = '';

function report({ cases, differences }: Verdict, isEmulator: boolean, only: string | undefined): number {
  const known = isEmulator ? EMULATOR_DIFFERENCES : {};
  const titles = new Set(differences.map(({ title }) => title));
  const isKnown = ({ title }: Difference) => title in known;
  const unknown = differences.filter(difference => !isKnown(difference));
  const corrected = only === undefined ? Object.keys(known).filter(title => !titles.has(title)) : [];
  const counted = differences.filter(isKnown).length;
  summary = [
    ...unknown.map(({ title, problem }) => `Differs: ${title}\n    ${problem.replaceAll('\n', '\n    ')}`),
    ...corrected.map(title => `No longer differs, or was renamed: ${title}`),
    `${cases} cases, ${unknown.length + corrected.length} differ${counted ? `, ${counted} as known` : ''}.`,
  ].join('\n');
  return unknown.length + corrected.length === 0 ? 0 : 1;
}

async function agrees(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  terminal.once('SIGINT', () => process.exit(130));
  const answer = await terminal.question(`${question} (yes/no) `);
  terminal.close();
  return answer.trim().toLowerCase() === 'yes';
}

function usage(problem: string): number {
  process.stderr.write(`${problem}\n\n${USAGE}`);
  return 2;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

try {
  const code = await run();
  process.exitCode = hasLeft ? 1 : code;
} catch (error) {
  if (error instanceof TypeError) process.exitCode = usage(error.message);
  else if (error instanceof Unavailable) {
    say(unavailableLine(error));
    process.exitCode = EXIT_UNAVAILABLE;
  } else {
    say(error instanceof Error ? error.message : String(error));
    process.exitCode = isInterrupted ? 130 : 1;
  }
} finally {
  await closers.disposeAsync();
  if (summary !== '') say(summary);
}
process.exit();
