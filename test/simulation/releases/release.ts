import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { compileFunction } from 'node:vm';
import { brotliDecompressSync } from 'node:zlib';
import * as today from './functions.ts';

/** The functions of one version. */
export type Release = typeof today;

export { today };

let kept: Release | undefined;

/** The last release, as keep.ts kept it, over the packages of this checkout. Where a parameter of a function has changed since then, it is
 *  translated here. */
export function lastRelease(): Release {
  kept ??= load(keptFile() as string);
  return kept;
}

/** The file with the last release; undefined where none is kept. */
export function keptFile(): string | undefined {
  const name = readdirSync(import.meta.dirname).find(file => file.endsWith('.cjs.br'));
  return name && join(import.meta.dirname, name);
}

function load(file: string): Release {
  const code = brotliDecompressSync(readFileSync(file)).toString();
  const module = { exports: {} };
  const run = compileFunction(code, ['module', 'exports', 'require'], { filename: file });
  run(module, module.exports, createRequire(import.meta.url));
  const release = module.exports as Release;
  // It counted events.
  const createPublish = (parts: object) => release.createPublish({ count: () => {}, ...parts } as never);
  return { ...release, createPublish };
}
