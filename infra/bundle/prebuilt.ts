import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The bundles of the package (package/build.ts). A checkout does not have this folder. */
const HANDLERS = fileURLToPath(new URL('../../handlers', import.meta.url));

let scratch: string | undefined;

/** A folder with the prebuilt bundle of this entry and `files` (text by name), removed when the process ends. Undefined
 *  in a checkout. */
export function prebuiltBundle(
  entry: string,
  files: Readonly<Record<string, string>>,
  handlers = HANDLERS,
): string | undefined {
  if (!existsSync(handlers)) return undefined;
  const folder = mkdtempSync(join(scratchFolder(), 'function-'));
  cpSync(join(handlers, basename(entry, '.ts')), folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

function scratchFolder(): string {
  if (scratch === undefined) {
    const made = mkdtempSync(join(tmpdir(), 'changewire-'));
    process.once('exit', () => rmSync(made, { recursive: true, force: true }));
    scratch = made;
  }
  return scratch;
}
