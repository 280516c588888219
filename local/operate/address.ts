import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { writeWhole } from '../../functions/basics/write-whole.ts';
import { READ_ONLY } from './seal.ts';

/** The address of a run's operations server, and the token that a request needs. */
export interface Address {
  readonly url: string;
  readonly token: string;
  /** Permits the read-only requests. It stays the same from run to run, because a team keeps its link. Absent in
   *  addresses of earlier versions. */
  readonly readOnlyToken?: string | undefined;
  /** Where a reverse proxy serves the page. */
  readonly origin?: string | undefined;
  /** The tokens of earlier runs, latest first: a page that is still open gets the current one for them. */
  readonly former: readonly string[];
  /** Whether the run serves the console's page at `/`. */
  readonly hasPage: boolean;
}

export const ADDRESS_FILE = 'operate.json';
/** The address of the previous run. */
const FORMER_FILE = 'operate.json.last';
/** Redirects a browser to the console. */
const OPENER_FILE = 'console.html';
const address = z.object({
  url: z.url({ protocol: /^http$/, hostname: /^127\.0\.0\.1$/ }),
  token: z.string().min(32),
  readOnlyToken: z.string().min(32).optional(),
  origin: z.url({ protocol: /^https$/ }).optional(),
  former: z.array(z.string().min(32)).default([]),
  hasPage: z.boolean().default(false),
});

/** A random token of 256 bits, of characters that are allowed in a header. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** The page knows it by its beginning, and shows no buttons that the server would refuse. */
export function newReadOnlyToken(): string {
  return `${READ_ONLY}${newToken()}`;
}

/** Writes the address for this user alone, atomically: a reader never finds the token of one run with the URL of
 *  another. */
export function writeAddress(
  directory: string,
  { url, token, readOnlyToken, origin, ...rest }: Address,
): void {
  const { former, hasPage } = rest;
  rmSync(join(directory, OPENER_FILE), { force: true });
  const written = { url, token, readOnlyToken, origin, former, hasPage };
  writeWhole(join(directory, ADDRESS_FILE), `${JSON.stringify(written)}\n`);
}

/** @returns undefined if it is missing, or was not written by this version */
export function readAddress(directory: string): Address | undefined {
  return read(directory, ADDRESS_FILE);
}

/** The address of the previous run, however it ended. */
export function formerAddress(directory: string): Address | undefined {
  return read(directory, ADDRESS_FILE) ?? read(directory, FORMER_FILE);
}

/** Renames the address of this run, unless another run has written its own since. */
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

/** The part of an address that the page needs. */
export type PageAddress = Pick<Address, 'url' | 'token' | 'readOnlyToken' | 'origin'>;

/** The address for a browser, which never sends the part after `#`. */
export function pageAddress({ url, token, origin = url }: PageAddress): string {
  return `${origin}/#token=${token}`;
}

/** Writes a file, for this user alone, that redirects a browser to the console. The browser is started with its path,
 *  because every user of this machine can read a command line, which must not contain the token. @returns its path */
export function writeOpener(directory: string, address: PageAddress): string {
  const path = join(directory, OPENER_FILE);
  const refresh = `<meta http-equiv="refresh" content="0; url=${pageAddress(address)}">`;
  writeWhole(path, `<!doctype html>\n<meta charset="utf-8">\n<title>Changewire</title>\n${refresh}\n`);
  return path;
}
