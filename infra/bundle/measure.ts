import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { buildSync, type Metafile } from 'esbuild';
import { bundleOptions, ROOT } from './options.ts';

/** Sizes of what a cold start loads of a bundle, in bytes, without the
 *  source map, which Lambda reads only to print a stack trace. */
export interface Bundle {
  readonly name: string;
  readonly size: number;
  readonly gzip: number;
  /** The largest packages in it. */
  readonly largest: string;
}

/** Bundles `entry` into the folder `<outdir>/<name>` and measures it. */
export function measure(name: string, entry: string, outdir: string): Bundle {
  const target = join(outdir, name);
  const { outputs } = buildSync(bundleOptions(entry, target)).metafile;
  const files = loadedBy(Object.keys(outputs).find(path => path.endsWith('/index.mjs')) ?? '', outputs);
  const code = Buffer.concat(files.map(path => readFileSync(join(ROOT, path))));
  const inputs = files.flatMap(path => Object.entries(outputs[path]?.inputs ?? {}));
  const weights = new Map<string, number>();
  for (const [path, { bytesInOutput }] of inputs) {
    const owner = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? 'own code';
    weights.set(owner, (weights.get(owner) ?? 0) + bytesInOutput);
  }
  const largest = [...weights].sort((a, b) => b[1] - a[1]).slice(0, 5);
  return {
    name,
    size: code.length,
    gzip: gzipSync(code, { level: 9 }).length,
    largest: largest.map(([owner, bytes]) => `${owner} ${kilobytes(bytes)}`).join(', '),
  };
}

/** A file and those that it imports statically: what a cold start loads. */
function loadedBy(file: string, outputs: Metafile['outputs'], found = new Set<string>()): string[] {
  found.add(file);
  for (const { path, kind, external } of outputs[file]?.imports ?? [])
    if (kind === 'import-statement' && !external && !found.has(path)) loadedBy(path, outputs, found);
  return [...found];
}

/** `12.3 kB`; as for npm, 1 kB is 1,000 bytes. */
export function kilobytes(bytes: number): string {
  return `${(bytes / 1_000).toFixed(1)} kB`;
}
