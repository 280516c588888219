import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What the page is built from: its own room, what it shares with the functions, and the versions of packages. */
const FOLDERS = ['console', 'functions'];
const FILES = ['package-lock.json', 'tsconfig.json'];

/** A digest of the sources, the same wherever they are checked out. */
export async function digestOfSources(root: string): Promise<string> {
  const listed = await Promise.all(FOLDERS.map(folder => filesOf(root, folder)));
  const files = [...FILES, ...listed.flat().toSorted()];
  const texts = await Promise.all(files.map(file => readFile(join(root, file)).catch(() => '')));
  const digest = createHash('sha256');
  for (const [index, text] of texts.entries())
    digest.update(`${files[index]}\n${text.length}\n`).update(text);
  return digest.digest('hex').slice(0, 16);
}

async function filesOf(root: string, folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter(entry => entry.isFile())
    .map(({ parentPath, name }) =>
      join(parentPath, name)
        .slice(root.length + 1)
        .replaceAll('\\', '/'),
    );
}
