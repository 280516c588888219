import { existsSync, readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';

/** The folder with our package.json: that of the checkout, or of the installed package, whose code stands in `dist/`. */
export function packageDirectory(): string {
  const manifest = findPackageJSON(import.meta.url);
  if (manifest === undefined)
    throw new Error('The package.json of changewire is not there: install it again.');
  return dirname(manifest);
}

/** A file of the package; undefined: it has none there. */
export function packageFile(path: string): string | undefined {
  const file = join(packageDirectory(), path);
  return existsSync(file) ? file : undefined;
}

/** The version of the package, as `1.2.3`. */
export function packageVersion(): string {
  const manifest = readFileSync(join(packageDirectory(), 'package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
