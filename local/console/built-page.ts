import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** A file of the console's page. */
export interface PageFile {
  readonly type: string;
  readonly body: Buffer;
}

/** The files of the page, by the path that a browser asks for. */
export type Built = ReadonlyMap<string, PageFile>;

/** The page can't be built; the message says why, in a line. */
export class PageError extends Error {}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};
/** How long building may take, in ms: on a busy machine it takes some seconds. */
const BUILT_WITHIN = 120_000;
const BUILDER = fileURLToPath(new URL('build.ts', import.meta.url));

/** The page of the sources as they are now: from the cache, or built by another process. @throws
 *  PageError */
export async function builtPage(root: string, run: typeof runBuilder = runBuilder): Promise<Built> {
  const cache = join(root, 'node_modules/.cache/changewire/console');
  const kept = join(cache, await digestOfSources(root));
  const found = await readPage(kept).catch(() => undefined);
  return found ?? (await build({ cache, kept, run }));
}

interface Building {
  readonly cache: string;
  readonly kept: string;
  readonly run: typeof runBuilder;
}

/** Builds into a folder of its own, which gets its final name when it is complete: several processes may
 *  build at once. */
async function build({ cache, kept, run }: Building): Promise<Built> {
  const directory = await scratchIn(cache).catch(() => scratchIn(tmpdir()));
  try {
    await run(directory);
    const built = await readPage(directory);
    await keep(directory, { cache, kept }).catch(() => undefined);
    return built;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function scratchIn(parent: string): Promise<string> {
  await mkdir(parent, { recursive: true });
  return await mkdtemp(join(parent, 'changewire-console-'));
}

/** Keeps the page for later runs, and removes those of other states of the sources. Fails where nobody
 *  may write, or another process was quicker; then the page is served without being kept. */
async function keep(directory: string, { cache, kept }: Omit<Building, 'run'>): Promise<void> {
  const others = (await readdir(cache)).filter(name => /^[0-9a-f]{16}$/.test(name));
  await rename(directory, kept);
  for (const name of others) await rm(join(cache, name), { recursive: true, force: true });
}

async function runBuilder(directory: string): Promise<void> {
  await promisify(execFile)(execPath, [BUILDER, directory], { timeout: BUILT_WITHIN }).catch(
    ({ stderr, message }: { stderr?: string; message: string }) => {
      throw new PageError(lastWords(stderr || message));
    },
  );
}

/** The line of a stack trace that says what was wrong. */
function lastWords(text: string): string {
  const lines = text.split('\n').filter(line => line.trim() !== '');
  return (lines.find(line => /error/i.test(line)) ?? lines.at(-1) ?? '').trim();
}

/** The page that was built into this folder. @throws when there is none */
export async function readPage(directory: string): Promise<Built> {
  const files = new Map<string, PageFile>();
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const type = TYPES[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const file = join(entry.parentPath, entry.name);
    const path = file.slice(directory.length).replaceAll('\\', '/');
    files.set(path, { type, body: await readFile(file) });
  }
  const index = files.get('/index.html');
  if (index === undefined) throw new PageError('The page has no index.html.');
  files.delete('/index.html');
  return files.set('/', index);
}

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
