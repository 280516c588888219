import { createHmac, randomBytes } from 'node:crypto';
import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { writeWhole } from '../basics/write-whole.ts';

/** Where a run answers what people ask, and the token that whoever asks must have. */
export interface Address {
  readonly url: string;
  readonly token: string;
  /** Whether the run serves the console's page at `/`. */
  readonly hasPage: boolean;
}

export const ADDRESS_FILE = 'operate.json';
/** Holds the address of the run before. */
const FORMER_FILE = 'operate.json.last';
const address = z.object({
  url: z.url({ protocol: /^http$/, hostname: /^127\.0\.0\.1$/ }),
  token: z.string().min(32),
  hasPage: z.boolean().default(false),
});

/** A random token, too long to be guessed, of characters that a header may have. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Writes the address for this user alone, whole or not at all: a reader never finds the token of one run
 *  with the URL of another. */
export function writeAddress(directory: string, { url, token, hasPage }: Address): void {
  writeWhole(join(directory, ADDRESS_FILE), `${JSON.stringify({ url, token, hasPage })}\n`);
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
  if (readAddress(directory)?.token === token)
    renameSync(join(directory, ADDRESS_FILE), join(directory, FORMER_FILE));
}

function read(directory: string, file: string): Address | undefined {
  try {
    return address.parse(JSON.parse(readFileSync(join(directory, file), 'utf8')));
  } catch {
    return undefined;
  }
}

/** The address for a browser: it sends what follows the `#` to nobody. */
export function pageAddress({ url, token }: Pick<Address, 'url' | 'token'>): string {
  return `${url}/#token=${token}`;
}

/** The answer to a challenge, which only a run that has the token can compute. A run that was killed
 *  leaves its address behind, and anybody may listen there by now: so a client has this proved before it
 *  sends its request and the token. */
export function proofOf(token: string, challenge: string): string {
  return createHmac('sha256', token).update(`changewire ${challenge}`).digest('base64url');
}
