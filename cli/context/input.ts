import { createInterface, type Interface } from 'node:readline/promises';
import { type Readable, Writable } from 'node:stream';
import { UsageError } from '../../local/basics/usage-error.ts';

/** What people type, or pipe in. */
export interface Input {
  /** Whether somebody is there to be asked. */
  readonly canAsk: boolean;
  /** Asks a question; true only for a yes. */
  confirm(question: string): Promise<boolean>;
  /** Asks for a line, without blanks around it. */
  line(question: string): Promise<string>;
  /** Asks for a line that nobody else should see: typed without being shown, or the next line that is
   *  piped in. */
  secret(what: string): Promise<string>;
}

interface Terminal {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean };
}

/** Questions go to stderr, so that stdout holds answers alone. */
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
      if (line === undefined || line === '') throw new UsageError(`${what}: nothing came from stdin.`);
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

/** Reads a line without showing it: readline writes what is typed to its output, so it gets one that
 *  shows nothing. */
async function hidden(what: string, { stdin, stderr }: Terminal, signal: AbortSignal): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: nowhere, terminal: true });
  stderr.write(`${what} (not shown): `);
  try {
    return await answered(lines, '', signal);
  } finally {
    lines.close();
    stderr.write('\n');
  }
}

/** Waits for an answer. readline handles Ctrl-C and Ctrl-D itself, so both are listened for here. @throws
 *  AbortError after either */
async function answered(lines: Interface, question: string, signal: AbortSignal): Promise<string> {
  const ending = new AbortController();
  const end = () => ending.abort();
  lines.once('SIGINT', end).once('close', end);
  return await lines.question(question, { signal: AbortSignal.any([signal, ending.signal]) });
}
