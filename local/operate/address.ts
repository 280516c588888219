import { createHmac, randomBytes } from 'node:crypto';
import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { writeWhole } from '../basics/write-whole.ts';

/** Where a run answers what people ask, and the token that whoever asks must have. */
export interface Address {
  readonly url: string;
  readonly token: string;
  /** Whether it has the console's page at `/`. */
  readonly hasPage: boolean;
}

export const ADDRESS_FILE = 'operate.json';
/** Of the run before. */
const FORMER_FILE = 'operate.json.last';
const address = z.object({
  url: z.url({ protocol: /^http$/, hostname: /^127\.0\.0\.1$/ }),
  token: z.string().min(32),
  hasPage: z.boolean().default(false),
});

/** Too long to be guessed, and fit for a header. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Writes it for this user alone, whole or not at all. A reader never finds the token of one run with the address of another. */
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

/** Puts aside what this run wrote, and nothing that another one wrote since. */
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

/** Where people look: a browser keeps what follows the `#` to itself. */
export function pageAddress({ url, token }: Pick<Address, 'url' | 'token'>): string {
  return `${url}/#token=${token}`;
}

/** What only a run that has the token can answer to a challenge. A run that was killed leaves its address behind, and by now anybody may
 *  listen there: nobody but the run itself is told what is asked, and with which token. */
export function proofOf(token: string, challenge: string): string {
  return createHmac('sha256', token).update(`changewire ${challenge}`).digest('base64url');
}
