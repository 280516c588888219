import { join } from 'node:path';
import { Argument, type Command } from 'commander';
import { packageDirectory } from '../../local/basics/package-file.ts';
import { type Candidates, candidatesOf } from '../completion/candidates.ts';
import { completionScript, SHELLS } from '../completion/scripts.ts';
import type { Connection, Place } from '../connect/connection.ts';
import type { Cli } from '../context/runner.ts';
import { examples } from './example.ts';

const LAUNCHER = join(packageDirectory(), 'cli/changewire.js');
/** A request for more names would take too long for a completion. */
const MAX_NAMES = 100;
/** Other names would need quoting in a shell. */
const WORD = /^[\w.@%+:,/=-]+$/;

export function completionCommand(program: Command, { world }: Cli): void {
  program
    .command('completion')
    .description('print a completion script for a shell')
    .addArgument(new Argument('<shell>', 'name of the shell').choices(SHELLS))
    .addHelpText('after', examples('completion bash', 'completion zsh', 'completion fish'))
    .action(
      (shell: (typeof SHELLS)[number]) => void world.stdout.write(`${completionScript(shell, LAUNCHER)}\n`),
    );
  program.command('complete [words...]', { hidden: true }).action(async (words: string[]) => {
    const { names, words: known } = candidatesOf(program, words);
    const found = [...known, ...(await requestedNames(names, () => world.open(placeOf(words))))];
    const last = words.at(-1) ?? '';
    const fitting = found.filter(word => word.startsWith(last) && WORD.test(word));
    if (fitting.length > 0) world.stdout.write(`${fitting.join('\n')}\n`);
  });
}

/** The names to offer; empty if the connection fails, because a completion must not print errors. */
async function requestedNames(
  names: Candidates['names'],
  open: () => Promise<Connection>,
): Promise<string[]> {
  if (names === undefined) return [];
  const connection = await open().catch(() => undefined);
  try {
    if (names === 'endpoints') {
      const page = await connection?.ask({ operation: 'endpoints', limit: MAX_NAMES });
      return page?.endpoints.map(({ name }) => name) ?? [];
    }
    const page = await connection?.ask({ operation: 'status', limit: MAX_NAMES });
    return page?.processes.map(({ process }) => process) ?? [];
  } catch {
    return [];
  } finally {
    await connection?.close();
  }
}

/** The stack or data directory on the command line. */
function placeOf(words: readonly string[]): Place {
  const optionOf = (option: string) => {
    const at = words.indexOf(option);
    return at < 0 ? undefined : words[at + 1];
  };
  return { stack: optionOf('--stack'), region: optionOf('--region'), data: optionOf('--data') };
}
