import { existsSync, readFileSync } from 'node:fs';
import { enableCompileCache, findPackageJSON } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder with our package.json: the checkout, or the installed package, whose code is in `dist/`. */
export function packageDirectory(): string {
  const manifest = findPackageJSON(import.meta.url);
  if (manifest === undefined)
    throw new Error('The package.json of changewire is missing: reinstall the package.');
  return dirname(manifest);
}

/** A file of the package; undefined if it is missing. */
export function packageFile(path: string): string | undefined {
  const file = join(packageDirectory(), path);
  return existsSync(file) ? file : undefined;
}

/** The version of the package, as `1.2.3`. */
export function packageVersion(): string {
  const manifest = readFileSync(join(packageDirectory(), 'package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

const FOLDER = 'node_modules';

/**
 * Caches compiled code for the next start, in the `node_modules` that the dependencies are loaded from: a user with
 * write access there could change these as well. Without write access, each start compiles.
 */
export function keepCompiledCode(): void {
  const dependency = fileURLToPath(import.meta.resolve('zod'));
  const modules = dependency.slice(0, dependency.lastIndexOf(`${sep}${FOLDER}${sep}`) + 1);
  enableCompileCache(join(modules, FOLDER, '.cache', 'changewire'));
}
