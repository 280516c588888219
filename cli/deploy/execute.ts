import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { env, execPath, stderr } from 'node:process';

/** A Node.js program that a command runs. */
export interface Program {
  /** Its file and arguments. */
  readonly command: readonly [string, ...string[]];
  /** Additional environment variables. */
  readonly variables: Readonly<Record<string, string>>;
  /** True: its output is printed only if it fails. */
  readonly quiet: boolean;
}

/** Runs a program in this terminal until it ends or `signal` aborts. @returns its exit code; 1 after a signal */
export async function execute({ command, variables, quiet }: Program, signal: AbortSignal): Promise<number> {
  const output = quiet ? 'pipe' : 'inherit';
  const child = spawn(execPath, command, {
    stdio: ['inherit', output, output],
    env: { ...env, ...variables },
  });
  const end = () => void child.kill();
  signal.addEventListener('abort', end, { once: true });
  const hidden: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part: Buffer) => hidden.push(part));
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) stderr.write(Buffer.concat(hidden));
    return code ?? 1;
  } finally {
    signal.removeEventListener('abort', end);
  }
}
