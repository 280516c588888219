import { readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../../..');

/** What a program loads, at once or later. */
export interface Loaded {
  /** Paths from the root of the project, with "/". */
  readonly files: ReadonlySet<string>;
  readonly packages: ReadonlySet<string>;
}

/** All that `entry` imports at run time, directly or through others; imports of types don't count. */
export function loadedBy(entry: string): Loaded {
  const loaded = { files: new Set<string>(), packages: new Set<string>() };
  visit(entry, loaded);
  return loaded;
}

function visit(file: string, loaded: { files: Set<string>; packages: Set<string> }): void {
  if (loaded.files.has(file)) return;
  loaded.files.add(file);
  const statements = readFileSync(resolve(ROOT, file), 'utf8').matchAll(
    /^(?:import|export)\s(?!type\s)([^'";]*?)from\s+'([^']+)'|\bimport\('([^']+)'\)/gm,
  );
  for (const [, names = '', from, later] of statements) {
    const module = from ?? later ?? '';
    if (module.startsWith('.'))
      visit(relative(ROOT, resolve(ROOT, dirname(file), module)).replaceAll('\\', '/'), loaded);
    else if (!module.startsWith('node:') && !isTypesOnly(names)) loaded.packages.add(packageOf(module));
  }
}

/** Whether all names are types, as in `{ type A, type B }`: such an import does not exist at run time. */
function isTypesOnly(names: string): boolean {
  const inBraces = /^\{([^}]*)\}\s*$/.exec(names.trim())?.[1]?.split(',');
  return inBraces?.every(name => /^\s*(type\s|$)/.test(name)) ?? false;
}

/** The package of a module: `@smithy/core` for `@smithy/core/checksum`. */
function packageOf(module: string): string {
  return module.split('/', module.startsWith('@') ? 2 : 1).join('/');
}
