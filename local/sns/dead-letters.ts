import { appendFile, mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A message that was given up, shaped as SQS shows it in a dead-letter queue: the body as it would have been delivered,
 *  the published attributes, and why it is here. */
export interface DeadLetter {
  readonly MessageId: string;
  readonly Body: string;
  readonly MessageAttributes: Readonly<Record<string, { DataType: string; StringValue: string }>>;
  readonly SubscriptionArn: string;
  /** ISO 8601. */
  readonly FailedAt: string;
  readonly Attempts: number;
  readonly ErrorCode: string;
  readonly ErrorMessage: string;
}

/** A dead-letter queue: one subscription's, or one endpoint's. */
export interface DeadLetterQueue<Letter = DeadLetter> {
  /** The JSON-lines file; undefined when kept in memory. */
  readonly path: string | undefined;
  /** Resolves when the letter is safe; rejects with the file system's error when it isn't. */
  add(letter: Letter): Promise<void>;
  /** Every letter kept, the oldest first. */
  all(): Promise<Letter[]>;
}

/** The queue `<directory>/dead-letters/<name>.jsonl` (mode 0600: it holds records), or one in memory. */
export function deadLetterQueue<Letter = DeadLetter>(
  directory: string | undefined,
  name: string,
): DeadLetterQueue<Letter> {
  return directory === undefined ? inMemory() : onDisk(join(directory, 'dead-letters'), name);
}

function inMemory<Letter>(): DeadLetterQueue<Letter> {
  const letters: Letter[] = [];
  return { path: undefined, add: async letter => void letters.push(letter), all: async () => [...letters] };
}

function onDisk<Letter>(directory: string, name: string): DeadLetterQueue<Letter> {
  const path = join(directory, `${name}.jsonl`);
  let last: Promise<void> = Promise.resolve();
  async function append(letter: Letter): Promise<void> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const separator = (await endsMidLine(path)) ? '\n' : '';
    await appendFile(path, `${separator}${JSON.stringify(letter)}\n`, { mode: 0o600, flush: true });
  }
  return {
    path,
    add(letter) {
      // One after the other: a long line may take several writes, and lines must not mix.
      const added = last.then(() => append(letter));
      last = added.catch(() => {});
      return added;
    },
    all: async () => parseLines(await readFile(path, 'utf8').catch(missingIsEmpty)),
  };
}

/** True when a kill cut the last line short: what is written next must not be glued to it. */
async function endsMidLine(path: string): Promise<boolean> {
  const file = await open(path, 'a+', 0o600);
  try {
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(1), 0, 1, Math.max(0, size - 1));
    return bytesRead === 1 && buffer[0] !== 0x0a;
  } finally {
    await file.close();
  }
}

function missingIsEmpty(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return '';
  throw error;
}

function parseLines<Letter>(text: string): Letter[] {
  return text.split('\n').flatMap(line => {
    try {
      return line === '' ? [] : [JSON.parse(line) as Letter];
    } catch {
      return [];
    }
  });
}
