import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The emulator can't be had here; the message says why in one line. It is no failure of what is tested. */
export class Unavailable extends Error {}

const REQUIREMENTS = fileURLToPath(new URL('requirements.txt', import.meta.url));
const HOME = fileURLToPath(new URL('../../../.emulator', import.meta.url));
const PYTHONS = ['python3', 'python3.14', 'python3.13', 'python3.12', 'python3.11', 'python'];
const FITS = 'import sys, venv, ensurepip; sys.exit(0 if sys.version_info >= (3, 11) else 1)';
const INSTALL_TIMEOUT = 300_000;

/** Puts the emulator into a virtual environment under `.emulator/`, once per content of requirements.txt.
 *  @returns the environment's Python
 *  @throws Unavailable when Python or a package can't be had */
export function installEmulator(): string {
  const hash = createHash('sha256').update(readFileSync(REQUIREMENTS)).digest('hex').slice(0, 12);
  const ready = `${HOME}/${hash}`;
  const python = `${ready}/bin/python`;
  if (existsSync(python)) return python;
  // A virtual environment's scripts name their place, but its Python finds its packages wherever it stands.
  const partial = `${ready}.${process.pid}`;
  mkdirSync(HOME, { recursive: true });
  try {
    must(findPython(), ['-m', 'venv', partial], 'Python can make no virtual environment');
    must(
      `${partial}/bin/python`,
      ['-m', 'pip', 'install', '--quiet', '--require-hashes', '--only-binary=:all:', '-r', REQUIREMENTS],
      'the emulator can not be had from the package index',
    );
    if (!existsSync(ready)) renameSync(partial, ready);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
  return python;
}

/** The emulator's name and exact version, for people. */
export function emulatorName(): string {
  return /^ministack==\S+/m.exec(readFileSync(REQUIREMENTS, 'utf8'))?.[0].replace('==', ' ') ?? 'ministack';
}

function findPython(): string {
  const python = PYTHONS.find(name => spawnSync(name, ['-c', FITS], { stdio: 'ignore' }).status === 0);
  if (python === undefined) throw new Unavailable('there is no Python 3.11 or newer with venv and ensurepip');
  return python;
}

function must(command: string, args: readonly string[], problem: string): void {
  const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8', timeout: INSTALL_TIMEOUT });
  if (status === 0) return;
  const said = (error?.message ?? stderr ?? '').trim().split('\n').at(-1) ?? '';
  throw new Unavailable(`${problem}${said === '' ? '' : ` (${said.slice(0, 200)})`}`);
}
