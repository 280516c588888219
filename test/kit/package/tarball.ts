import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const ROOT = resolve(import.meta.dirname, '../../..');
const QUIETLY = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'];

/** Runs `npm pack` in the checkout. @returns the path of the tarball, in `directory`, and what the build said */
export async function packInto(directory: string): Promise<{ tarball: string; said: string }> {
  const said = await npmIn(ROOT, 'pack', '--pack-destination', directory);
  const [name] = readdirSync(directory).filter(each => each.endsWith('.tgz'));
  if (name === undefined) throw new Error(`npm pack left no tarball in ${directory}.`);
  return { tarball: join(directory, name), said };
}

/** Installs the tarball into a folder, which may be empty. What npm has fetched before is not fetched again. */
export async function installInto(folder: string, tarball: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await npmIn(folder, 'install', tarball, '--prefer-offline');
}

/** Lets the folder use these packages of the checkout, which takes no time: for what its user would install besides. */
export function link(folder: string, ...names: readonly string[]): void {
  for (const name of names) {
    const path = join(folder, 'node_modules', name);
    mkdirSync(dirname(path), { recursive: true });
    rmSync(path, { recursive: true, force: true });
    symlinkSync(join(ROOT, 'node_modules', name), path, 'junction');
  }
}

/** Writes files into a folder: text by name. */
export function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

/** Runs npm in a folder, without asking anything. @returns what was said */
export async function npmIn(cwd: string, ...args: readonly string[]): Promise<string> {
  // The npm of the PATH, on a Node that it knows; npm gives settings to what it runs by variables, which are not those of here.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
  const { stdout } = await promisify(execFile)('npm', [...args, ...QUIETLY], {
    cwd,
    env,
    shell: process.platform === 'win32',
    maxBuffer: 10_000_000,
  });
  return stdout;
}
