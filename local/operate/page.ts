import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { glob, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join, resolve } from 'node:path';
import { execPath } from 'node:process';
import { promisify } from 'node:util';

/** The page that the local server shows. */
export interface Page {
  /** The file at this path of a request; undefined if it does not exist. The first call may take seconds, because it
   *  builds the page. @throws PageError if that fails */
  file(path: string): Promise<PageFile | undefined>;
}

/** A file of the console's page. */
export interface PageFile {
  readonly type: string;
  readonly body: Buffer;
}

/** The files of the page, by the path of a request. */
export type Built = ReadonlyMap<string, PageFile>;

/** The page can't be built; the message has the reason, in a line. */
export class PageError extends Error {}

export const ROOT = resolve(import.meta.dirname, '../..');

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};
/** In ms: on a busy machine a build takes some seconds. */
const BUILD_TIMEOUT_MS = 120_000;
/** The cache of built pages, each in a folder named by the digest of its sources. */
const CACHE = 'node_modules/.cache/changewire/console';
const VITE = 'node_modules/vite/bin/vite.js';
/** The sources of the page: its own, those that it shares with the functions, and the versions of packages. */
const SOURCES = ['console/**', 'functions/**', 'package-lock.json', 'tsconfig.json'];

/** In the package the page is already built (package/build.ts), in the folder of the checkout's sources. */
const isBuilt = (root: string) => existsSync(join(root, 'console/assets'));

/** The console. In a checkout it is built once per state of the sources. Its files are small, and kept in memory. */
export function createPage(build: () => Promise<Built> = () => pageOf(ROOT)): Page {
  let building: Promise<Built> | undefined;
  return {
    file: async path => {
      building ??= build();
      const attempt = building;
      const built = await attempt.catch(error => {
        // After a failure the next request retries.
        if (building === attempt) building = undefined;
        throw error;
      });
      return built.get(path);
    },
  };
}

/** The page of a checkout or of the package at `root`. */
export function pageOf(root: string): Promise<Built> {
  return isBuilt(root) ? readPage(join(root, 'console')) : builtPage(root);
}

/** Why the page can't be built, for people; undefined: it probably can. */
export function whyNoPage(root = ROOT): string | undefined {
  const isThere = (path: string) => existsSync(join(root, path));
  if (!isThere('console/index.html')) return 'its sources (console/) are not installed';
  if (isBuilt(root) || isThere(VITE) || isThere(CACHE)) return undefined;
  return 'building it needs the development dependencies; run "npm ci" without --omit=dev';
}

/** The page of the current sources: from the cache, or built by another process. @throws PageError */
export async function builtPage(root: string, build = runVite): Promise<Built> {
  const cache = join(root, CACHE);
  const kept = join(cache, await digestOfSources(root));
  const found = await readPage(kept).catch(() => undefined);
  if (found) return found;
  // In a temporary folder, which is renamed when it is complete: several processes may build at once.
  const directory = await scratchIn(cache).catch(() => scratchIn(tmpdir()));
  try {
    await build(directory, root);
    const built = await readPage(directory);
    // Not kept if the folder is not writable, or another process was faster.
    await keep(directory, cache, kept).catch(() => undefined);
    return built;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function scratchIn(parent: string): Promise<string> {
  await mkdir(parent, { recursive: true });
  return await mkdtemp(join(parent, 'changewire-console-'));
}

/** Keeps the page for later runs, and removes the pages of other states of the sources. */
async function keep(directory: string, cache: string, kept: string): Promise<void> {
  const others = (await readdir(cache)).filter(name => /^[0-9a-f]{16}$/.test(name));
  await rename(directory, kept);
  for (const name of others) await rm(join(cache, name), { recursive: true, force: true });
}

/** Builds in another process, so that Vite does not stay in the memory of this one. */
async function runVite(directory: string, root: string): Promise<void> {
  await promisify(execFile)(execPath, viteArguments(root, directory), { timeout: BUILD_TIMEOUT_MS }).catch(
    ({ stderr, message }: { stderr?: string; message: string }) => {
      const lines = (stderr || message).split('\n').filter(line => line.trim() !== '');
      // Of a stack trace, the line with the error.
      throw new PageError((lines.find(line => /error/i.test(line)) ?? lines.at(-1) ?? '').trim());
    },
  );
}

/** The arguments for Node to build the page of a checkout into an empty directory. */
export function viteArguments(root: string, directory: string): string[] {
  const config = join(root, 'console/vite.config.ts');
  return [
    ...[join(root, VITE), 'build', '--config', config, '--configLoader', 'native'],
    ...['--outDir', directory, '--emptyOutDir'],
  ];
}

/** The page that was built into this folder. @throws if it is missing */
async function readPage(directory: string): Promise<Built> {
  const files = new Map<string, PageFile>();
  for (const path of await filesIn(directory, '**')) {
    const type = TYPES[extname(path)];
    if (type === undefined) continue;
    const body = await readFile(join(directory, path));
    files.set(path === 'index.html' ? '/' : `/${path}`, { type, body });
  }
  if (files.has('/')) return files;
  throw new PageError('The page has no index.html.');
}

/** A digest of the sources, the same wherever they are checked out. */
export async function digestOfSources(root: string): Promise<string> {
  const files = (await filesIn(root, SOURCES)).toSorted();
  const texts = await Promise.all(files.map(file => readFile(join(root, file))));
  const digest = createHash('sha256');
  for (const [index, text] of texts.entries())
    digest.update(`${files[index]}\n${text.length}\n`).update(text);
  return digest.digest('hex').slice(0, 16);
}

/** The paths of files in a folder, with `/` between their parts on every system. */
async function filesIn(directory: string, patterns: string | string[]): Promise<string[]> {
  const entries = await Array.fromAsync(glob(patterns, { cwd: directory, withFileTypes: true }));
  return entries
    .filter(entry => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .map(path => path.slice(resolve(directory).length + 1).replaceAll('\\', '/'));
}
