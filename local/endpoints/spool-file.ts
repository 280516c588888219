import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';

const message = z.strictObject({
  key: z.string(),
  body: z.string(),
  /** ms since 1970: the age that retries go by counts from here. */
  firstReceived: z.number().optional(),
  /** How often it was handed to the deliverer. */
  receives: z.number().optional(),
  /** When it is tried again, in ms since 1970; undefined: at once. */
  due: z.number().optional(),
});
const line = z.union([z.strictObject({ key: z.string(), settled: z.literal(true) }), message]);

/** A message of an endpoint's queue that is neither delivered nor given up. */
export type SpooledMessage = z.infer<typeof message>;
type Line = z.infer<typeof line>;

/** Lines that tell nothing any more are cleared away once there are so many of them. */
const WORTH_CLEARING = 1000;

/**
 * Messages by their key in a file of JSON lines (mode 0600: it holds records), the last line of a key being the true one.
 * A kill may cut the last line short; that message then counts as never put, and its change record is still to be sent.
 */
export class SpoolFile {
  readonly path: string;
  readonly #messages: Map<string, SpooledMessage>;
  #lines: number;
  #torn = false;

  /** @throws when the file is damaged, naming the remedy */
  constructor(path: string) {
    this.path = path;
    this.#messages = read(path);
    this.#lines = this.#messages.size;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    this.#rewrite();
  }

  get size(): number {
    return this.#messages.size;
  }

  get(key: string): SpooledMessage | undefined {
    return this.#messages.get(key);
  }

  values(): Iterable<SpooledMessage> {
    return this.#messages.values();
  }

  /** `flush`: they survive a power cut too when this returns. @throws the file system's error, with nothing changed */
  put(messages: readonly SpooledMessage[], { flush }: { flush: boolean }): void {
    this.#append(messages, flush);
    for (const each of messages) this.#messages.set(each.key, each);
  }

  /** @throws the file system's error, with nothing changed */
  delete(keys: readonly string[]): void {
    const known = keys.filter(key => this.#messages.has(key));
    this.#append(
      known.map(key => ({ key, settled: true })),
      false,
    );
    for (const key of known) this.#messages.delete(key);
  }

  #append(lines: readonly Line[], flush: boolean): void {
    if (lines.length === 0) return;
    if (this.#torn || this.#lines > WORTH_CLEARING + 2 * this.#messages.size) this.#rewrite();
    this.#torn = true;
    appendFileSync(this.path, textOf(lines), { mode: 0o600, flush });
    this.#torn = false;
    this.#lines += lines.length;
  }

  /** Beside the file first, then renamed over it: a kill leaves the old one or the new one. */
  #rewrite(): void {
    const beside = `${this.path}.new`;
    rmSync(beside, { force: true });
    writeFileSync(beside, textOf([...this.#messages.values()]), { mode: 0o600, flush: true });
    renameSync(beside, this.path);
    this.#lines = this.#messages.size;
    this.#torn = false;
  }
}

/** How many messages wait in a file that nobody has open; 0 when there is none. */
export function countSpooled(path: string): number {
  return read(path).size;
}

function read(path: string): Map<string, SpooledMessage> {
  const messages = new Map<string, SpooledMessage>();
  const lines = textIfThere(path).split('\n');
  // Behind the last line break there is nothing, or a line that was cut short.
  for (const [index, text] of lines.slice(0, -1).entries()) {
    const each = parse(text);
    if (each === undefined)
      throw new Error(`${path} is damaged in line ${index + 1}. Delete that line: its event is then lost.`);
    if ('settled' in each) messages.delete(each.key);
    else messages.set(each.key, each);
  }
  return messages;
}

function parse(text: string): Line | undefined {
  try {
    return line.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function textOf(lines: readonly Line[]): string {
  return lines.map(each => `${JSON.stringify(each)}\n`).join('');
}

function textIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
