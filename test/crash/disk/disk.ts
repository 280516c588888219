import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../../../functions/basics/clock.ts';
import { between } from '../../../simulator/data/random.ts';
import { StoredFile } from './stored-file.ts';

type Entries = ReadonlyMap<string, StoredFile>;
type EntryChange = (entries: Map<string, StoredFile>) => void;

/** What chance leaves. */
export interface DeliveryResult {
  /** Of so many changes that were not safe, how many the disk has. */
  part(all: number): number;
  /** How many sectors of the write behind them. */
  torn(): number;
}

/** Often all, for a disk seldom waits for long. */
export function resultOf(random: Random): DeliveryResult {
  return {
    part: all => (random() < 0.3 ? all : between(random, 0, all)),
    torn: () => (random() < 0.5 ? between(random, 0, 8) : 0),
  };
}

/**
 * What of a directory would be on the disk if the power failed now. It obeys POSIX to the letter: a file has what it had at its
 * last sync, the directory the names of its own last sync, and of all that was done later, each file and the directory have
 * the first part, as long or short as chance will have it; a last write may be torn.
 */
export class Disk {
  readonly #directory: string;
  readonly #log: string;
  readonly library: string;
  #read = 0;
  #safe: Entries = new Map();
  #changes: EntryChange[] = [];
  readonly #files = new Map<bigint, StoredFile>();

  /** @param directory is made, or empty @param library of `watch.c` */
  constructor(directory: string, log: string, library: string) {
    this.library = library;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    this.#directory = directory;
    this.#log = log;
  }

  /** What a process needs to be watched. */
  get environment(): Record<string, string> {
    return { LD_PRELOAD: this.library, WATCHED_DIRECTORY: this.#directory, WATCHED_LOG: this.#log };
  }

  /** The process was killed, and nothing else: what it did is there. What it had done and not yet logged is, too.
   *  @returns the files that were not as the log has them */
  settle(): string[] {
    this.#catchUp();
    const files = this.#entries();
    const names = readdirSync(this.#directory).filter(name => !name.endsWith('-shm'));
    const corrected: string[] = [];
    for (const name of new Set([...names, ...files.keys()])) {
      const path = join(this.#directory, name);
      const content = existsSync(path) ? readFileSync(path) : undefined;
      if (content && files.get(name)?.content().equals(content)) continue;
      if (!content && !files.has(name)) continue;
      corrected.push(name);
      this.#correct(name, content);
    }
    return corrected;
  }

  /** Copies the directory, and the log since the power last failed, to `to`. */
  copy(to: string): void {
    rmSync(to, { recursive: true, force: true });
    cpSync(this.#directory, to, { recursive: true });
    if (existsSync(this.#log)) cpSync(this.#log, join(to, 'disk.log'));
  }

  /** The power failed: what was not safe is there in part. No process may run. @returns what it took back */
  cut({ part, torn }: DeliveryResult): { readonly unsafe: number; readonly lost: number } {
    this.settle();
    const names = part(this.#changes.length);
    const entries = this.#entries(names);
    let [unsafe, lost] = [this.#changes.length, this.#changes.length - names];
    for (const name of readdirSync(this.#directory)) rmSync(join(this.#directory, name));
    for (const [name, file] of entries) {
      const kept = part(file.unsafe);
      unsafe += file.unsafe;
      lost += file.unsafe - kept;
      writeFileSync(join(this.#directory, name), file.content(kept, torn()), { mode: 0o600 });
    }
    this.#begin();
    return { unsafe, lost };
  }

  /** All that is there is safe. */
  #begin(): void {
    if (existsSync(this.#log)) truncateSync(this.#log, 0);
    this.#read = 0;
    this.#changes = [];
    this.#files.clear();
    this.#safe = new Map(
      readdirSync(this.#directory).map(name => {
        const path = join(this.#directory, name);
        const file = new StoredFile(readFileSync(path));
        this.#files.set(statSync(path, { bigint: true }).ino, file);
        return [name, file];
      }),
    );
  }

  #entries(changes = this.#changes.length): Map<string, StoredFile> {
    const entries = new Map(this.#safe);
    for (const change of this.#changes.slice(0, changes)) change(entries);
    return entries;
  }

  #catchUp(): void {
    if (!existsSync(this.#log)) return;
    const { done, end } = readLog(readFileSync(this.#log).subarray(this.#read));
    for (const each of done) this.#take(each);
    this.#read += end;
    truncateSync(this.#log, this.#read);
  }

  #take(done: Done): void {
    if (done.what === 'sync directory') {
      this.#safe = this.#entries();
      this.#changes = [];
    } else if (done.what === 'unlink') this.#changes.push(entries => entries.delete(done.name));
    else if (done.what === 'rename') this.#changes.push(entries => rename(entries, done.name, done.to));
    else this.#takeOfFile(done);
  }

  #takeOfFile(done: Extract<Done, { inode: bigint }>): void {
    const file = this.#files.get(done.inode);
    if (done.what === 'make') this.#make(done.name, done.inode, new StoredFile());
    else if (done.what === 'write') file?.write(done.offset, done.bytes);
    else if (done.what === 'truncate') file?.truncate(done.offset);
    else file?.sync();
  }

  #make(name: string, inode: bigint, file: StoredFile): void {
    this.#files.set(inode, file);
    this.#changes.push(entries => entries.set(name, file));
  }

  #correct(name: string, content: Buffer | undefined): void {
    if (content === undefined) return void this.#changes.push(entries => entries.delete(name));
    const { ino } = statSync(join(this.#directory, name), { bigint: true });
    let file = this.#entries().get(name);
    if (file === undefined || this.#files.get(ino) !== file) {
      file = this.#files.get(ino) ?? new StoredFile();
      this.#make(name, ino, file);
    }
    file.write(0, content);
    file.truncate(content.length);
  }
}

function rename(entries: Map<string, StoredFile>, name: string, to: string): void {
  const file = entries.get(name);
  if (file === undefined) return;
  entries.delete(name);
  entries.set(to, file);
}

/** What a watched process did to a file of the directory; `watch.c` writes it. */
export type Done =
  | { readonly what: 'write'; readonly inode: bigint; readonly offset: number; readonly bytes: Buffer }
  | { readonly what: 'truncate'; readonly inode: bigint; readonly offset: number }
  | { readonly what: 'sync'; readonly inode: bigint }
  | { readonly what: 'make'; readonly inode: bigint; readonly name: string }
  | { readonly what: 'unlink'; readonly name: string }
  | { readonly what: 'rename'; readonly name: string; readonly to: string }
  | { readonly what: 'sync directory' };

const WORDS = ['write', 'truncate', 'sync', 'make', 'unlink', 'rename', 'sync directory'] as const;
const HEADER = 32;

/** Reads the log. @returns its records and where they end: a kill may have cut the last one off */
export function readLog(log: Buffer): { readonly done: Done[]; readonly end: number } {
  const done: Done[] = [];
  let begin = 0;
  while (begin + HEADER <= log.length) {
    let at = begin;
    const what = WORDS[log.readUInt32LE(at) - 1];
    const [length, inode] = [log.readUInt32LE(at + 4), log.readBigUInt64LE(at + 8)];
    const offset = Number(log.readBigUInt64LE(at + 16));
    const texts = [log.readUInt32LE(at + 24), log.readUInt32LE(at + 28)] as const;
    at += HEADER;
    const end = at + texts[0] + texts[1] + length;
    if (what === undefined) throw new Error(`The log of the disk is damaged at ${at}.`);
    if (end > log.length) break;
    const name = log.toString('utf8', at, at + texts[0]);
    const to = log.toString('utf8', at + texts[0], at + texts[0] + texts[1]);
    done.push({ what, inode, offset, name, to, bytes: log.subarray(end - length, end) });
    begin = end;
  }
  return { done, end: begin };
}
