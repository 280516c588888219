import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { installInto, npmIn, packInto } from '../test/kit/package/tarball.ts';

/** `npm run bench:package`: what the package weighs, and how long it takes to install beside what a server
 *  without it would install: the checkout's `npm ci --omit=dev`. Both alternate in one run, with npm's cache
 *  filled. */
const ROUNDS = 5;
const ROOT = resolve(import.meta.dirname, '..');
const scratch = mkdtempSync(join(tmpdir(), 'changewire-package-'));
try {
  const { tarball } = await packInto(scratch);
  const times: { package: number; checkout: number }[] = [];
  for (let round = 0; round <= ROUNDS; round++)
    times.push({ package: await asPackage(tarball), checkout: await asCheckout() });
  const [, ...counted] = times;
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    dependencies: object;
  };
  const modules = join(scratch, 'package/node_modules');
  out('tarball', `${megabytes(statSync(tarball).size)}`);
  out('runtime dependencies', `${Object.keys(dependencies).length}, ${packagesIn(modules) - 1} with theirs`);
  out('installed', megabytes(sizeOf(modules)));
  out('install time, s', median(counted.map(time => time.package)).toFixed(1));
  const ratios = counted.map(time => time.package / time.checkout);
  out(
    'install time ÷ npm ci --omit=dev of the checkout',
    `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}, ${ROUNDS} rounds)`,
  );
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function asPackage(tarball: string): Promise<number> {
  const folder = join(scratch, 'package');
  rmSync(folder, { recursive: true, force: true });
  return await timed(() => installInto(folder, tarball));
}

async function asCheckout(): Promise<number> {
  const folder = join(scratch, 'checkout');
  rmSync(folder, { recursive: true, force: true });
  for (const name of ['package.json', 'package-lock.json', 'package/checkout/package.json'])
    cpSync(join(ROOT, name), join(folder, name));
  return await timed(() => npmIn(folder, 'ci', '--omit=dev', '--omit=optional', '--prefer-offline'));
}

/** In seconds. */
async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1_000;
}

function packagesIn(modules: string): number {
  const { packages } = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8')) as {
    packages: object;
  };
  return Object.keys(packages).length;
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

function median(all: readonly number[]): number {
  return all.toSorted((one, other) => one - other)[Math.floor(all.length / 2)] ?? 0;
}

function out(what: string, value: string): void {
  process.stdout.write(`${what.padEnd(52)}${value}\n`);
}
