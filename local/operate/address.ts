import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { writeWhole } from '../../functions/basics/write-whole.ts';

/** Where a run answers what people ask, and the token that whoever asks must have. */
export interface Address {
  readonly url: string;
  readonly token: string;
  /** The tokens of the runs before, the latest first, in place of which a page that is still open gets this one. */
  readonly former: readonly string[];
  /** Whether the run serves the console's page at `/`. */
  readonly hasPage: boolean;
}

export const ADDRESS_FILE = 'operate.json';
/** Holds the address of the run before. */
const FORMER_FILE = 'operate.json.last';
/** Leads a browser to the console. */
const OPENER_FILE = 'console.html';
const address = z.object({
  url: z.url({ protocol: /^http$/, hostname: /^127\.0\.0\.1$/ }),
  token: z.string().min(32),
  former: z.array(z.string().min(32)).default([]),
  hasPage: z.boolean().default(false),
});

/** A random token, too long to be guessed, of characters that a header may have. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Writes the address for this user alone, whole or not at all: a reader never finds the token of one run
 *  with the URL of another. */
export function writeAddress(directory: string, { url, token, former, hasPage }: Address): void {
  rmSync(join(directory, OPENER_FILE), { force: true });
  writeWhole(join(directory, ADDRESS_FILE), `${JSON.stringify({ url, token, former, hasPage })}\n`);
}

/** @returns undefined when there is none, or none that a run of this version wrote */
export function readAddress(directory: string): Address | undefined {
  return read(directory, ADDRESS_FILE);
}

/** Where the run before answered, however it ended. */
export function formerAddress(directory: string): Address | undefined {
  return read(directory, ADDRESS_FILE) ?? read(directory, FORMER_FILE);
}

/** Puts the address of this run aside, unless another run has written its own since. */
export function removeAddress(directory: string, { token }: Address): void {
  if (readAddress(directory)?.token !== token) return;
  renameSync(join(directory, ADDRESS_FILE), join(directory, FORMER_FILE));
  rmSync(join(directory, OPENER_FILE), { force: true });
}

function read(directory: string, file: string): Address | undefined {
  try {
    return address.parse(JSON.parse(readFileSync(join(directory, file), 'utf8')));
  } catch {
    return undefined;
  }
}

/** The address for a browser: it never sends what follows the `#`. */
export function pageAddress({ url, token }: Pick<Address, 'url' | 'token'>): string {
  return `${url}/#token=${token}`;
}

/** Writes a file, for this user alone, that leads a browser to the console. The browser is started with its path: a command line
 *  can be read by every user of this machine, and must not hold the token. @returns its path */
export function writeOpener(directory: string, address: Pick<Address, 'url' | 'token'>): string {
  const path = join(directory, OPENER_FILE);
  const refresh = `<meta http-equiv="refresh" content="0; url=${pageAddress(address)}">`;
  writeWhole(path, `<!doctype html>\n<meta charset="utf-8">\n<title>Changewire</title>\n${refresh}\n`);
  return path;
}
