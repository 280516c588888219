import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The paths of these declarations and of their relative imports. */
export function declarationsOf(entries: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (path: string) => {
    if (found.has(path)) return;
    found.add(path);
    for (const [, module = ''] of readFileSync(path, 'utf8').matchAll(
      /\b(?:from |import\()["'](\.[^"']+)["']/g,
    ))
      visit(join(dirname(path), module.replace(/\.[jt]s$/, '.d.ts')));
  };
  for (const entry of entries) visit(entry);
  return found;
}
