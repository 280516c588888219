import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { buildSync } from 'esbuild';
import { bundleOptions } from './options.ts';

/** Sizes of a bundle in bytes, without the source map, which Lambda reads only to print a stack trace. */
export interface Bundle {
  readonly name: string;
  readonly size: number;
  readonly gzip: number;
  /** The largest packages in it. */
  readonly largest: string;
}

/** Bundles `entry` into `<outdir>/<name>/index.mjs` and measures it. */
export function measure(name: string, entry: string, outdir: string): Bundle {
  const target = join(outdir, name);
  const { metafile } = buildSync(bundleOptions(entry, target));
  const code = readFileSync(join(target, 'index.mjs'));
  const inputs = Object.values(metafile.outputs).flatMap(output => Object.entries(output.inputs));
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

/** `12.3 kB`; as for npm, 1 kB is 1,000 bytes. */
export function kilobytes(bytes: number): string {
  return `${(bytes / 1_000).toFixed(1)} kB`;
}
