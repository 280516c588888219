import { createInterface, type Interface } from 'node:readline/promises';
import { type Readable, Writable } from 'node:stream';
import { UsageError } from '../../local/basics/usage-error.ts';

/** Input from a terminal or a pipe. */
export interface Input {
  /** Whether stdin and stderr are a terminal. */
  readonly canAsk: boolean;
  /** Asks a question; true only for "y" or "yes". */
  confirm(question: string): Promise<boolean>;
  /** Asks for a line; returns it trimmed. */
  line(question: string): Promise<string>;
  /** Asks for a hidden line on a terminal, or reads the next line of a pipe. */
  secret(what: string): Promise<string>;
}

interface Terminal {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean };
}

/** Prompts go to stderr, so that stdout contains only answers. */
export function terminalInput({ stdin, stderr }: Terminal, signal: AbortSignal): Input {
  const canAsk = stdin.isTTY === true && stderr.isTTY === true;
  let piped: Promise<string[]> | undefined;
  return {
    canAsk,
    confirm: async question => /^y(es)?$/i.test(await shown(`${question} [y/N] `, { stdin, stderr }, signal)),
    line: question => shown(`${question}: `, { stdin, stderr }, signal),
    secret: async what => {
      if (canAsk) return (await hidden(what, { stdin, stderr }, signal)).trim();
      piped ??= linesOf(stdin);
      const line = (await piped).shift()?.trim();
      if (line === undefined || line === '') throw new UsageError(`${what} is missing from stdin.`);
      return line;
    },
  };
}

async function shown(question: string, { stdin, stderr }: Terminal, signal: AbortSignal): Promise<string> {
  const lines = createInterface({ input: stdin, output: stderr, terminal: true });
  try {
    return (await answered(lines, question, signal)).trim();
  } finally {
    lines.close();
  }
}

async function linesOf(stdin: Readable): Promise<string[]> {
  let text = '';
  for await (const chunk of stdin.setEncoding('utf8')) text += chunk;
  return text.split('\n').filter(line => line.trim() !== '');
}

/** Reads a line without echo: readline echoes to its output, so it gets one that discards everything. */
async function hidden(what: string, { stdin, stderr }: Terminal, signal: AbortSignal): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: nowhere, terminal: true });
  stderr.write(`${what} (hidden): `);
  try {
    return await answered(lines, '', signal);
  } finally {
    lines.close();
    stderr.write('\n');
  }
}

/** Waits for an answer. @throws AbortError after Ctrl-C or Ctrl-D, which readline handles itself */
async function answered(lines: Interface, question: string, signal: AbortSignal): Promise<string> {
  const ending = new AbortController();
  const end = () => ending.abort();
  lines.once('SIGINT', end).once('close', end);
  return await lines.question(question, { signal: AbortSignal.any([signal, ending.signal]) });
}
