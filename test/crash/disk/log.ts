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
