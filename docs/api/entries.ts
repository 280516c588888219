import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Described, describe } from './describe.ts';
import { parseDoc } from './doc-comment.ts';
import { exportedBy } from './exported.ts';
import { headCommentOf, readSource } from './source.ts';

/** A module of the package. */
export interface Entry {
  /** As it is imported: `changewire/events`. */
  readonly name: string;
  /** The doc comment of the file. */
  readonly about: string;
  readonly exports: readonly Described[];
}

/** The modules that the package.json under `root` exports, by their sources: what is compiled into dist/
 *  keeps its folder. */
export function entriesOf(root: string): Entry[] {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return Object.entries<string | { default: string }>(manifest.exports).flatMap(([path, target]) => {
    if (typeof target === 'string') return [];
    const source = join(root, target.default.replace('./dist/', '').replace(/\.js$/, '.ts'));
    return [entryOf(path.replace('.', manifest.name), source)];
  });
}

function entryOf(name: string, path: string): Entry {
  const about = headCommentOf(readSource(path)) ?? '';
  return { name, about: parseDoc(about).about, exports: exportedBy(path).map(describe) };
}
