import { Command, CommanderError } from 'commander';
import { didYouMean, Refused } from '../functions/operations/refused.ts';
import { packageVersion } from '../local/basics/package-file.ts';
import { failure, UsageError } from '../local/basics/usage-error.ts';
import { printable, printableLines } from '../local/terminal/text.ts';
import { addCommands } from './commands/commands.ts';
import { examples } from './commands/example.ts';
import { Failed } from './context/context.ts';
import { runnerOf } from './context/runner.ts';
import type { World } from './context/world.ts';

export const EXIT = { done: 0, failed: 1, usage: 2, interrupted: 130 } as const;

/** Does what the command line asks for. @returns the exit code */
export async function changewire(args: readonly string[], world: World): Promise<number> {
  const program = createProgram(world);
  try {
    await program.parseAsync(args.length > 0 ? [...args] : ['--help'], { from: 'user' });
    return EXIT.done;
  } catch (error) {
    // Commander has said already what is wrong.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    if (world.interrupted.aborted || (error as Error).name === 'AbortError') return EXIT.interrupted;
    if (!(error instanceof Failed)) world.stderr.write(`changewire: ${wordsOf(error)}\n`);
    const isUsage = error instanceof UsageError || (error instanceof Refused && error.isUsage);
    return isUsage ? EXIT.usage : EXIT.failed;
  }
}

/** The whole command line; what it does is done in `world`. */
export function createProgram(world: World): Command {
  const { stdout, stderr } = world;
  const program = new Command('changewire')
    .description('Runs Changewire on this machine or deploys it to AWS, looks at what it does, and mends it.')
    .option(
      '--stack <name>',
      'ask this stack on AWS, with your own credentials; without it, a run of this machine',
    )
    .option('--region <region>', "the stack's region (else AWS_REGION)")
    .option(
      '--data <dir>',
      'the data directory of the run (else .changewire, .changewire/simulated or this one)',
    )
    .option('--json', 'print JSON, one object a line')
    .option('--no-color', 'print without colour, as NO_COLOR does')
    .version(packageVersion(), '--version', 'print the version of Changewire')
    .exitOverride()
    .configureOutput({
      writeOut: text => void stdout.write(text),
      writeErr: text => void stderr.write(text),
      outputError: (text, write) =>
        write(`changewire: ${printable(text.trimEnd().replace(/^error: /, '')).replaceAll('\\n', '\n')}\n`),
      getOutHelpWidth: () => stdout.columns ?? 100,
      getErrHelpWidth: () => stderr.columns ?? 100,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .configureHelp({ showGlobalOptions: true })
    .helpCommand(false)
    .addHelpText('after', EXIT_CODES);
  addCommands(program, { run: runnerOf(program, world), world });
  program
    .command('help [command...]')
    .description('say more of a command')
    .helpGroup('This command:')
    .addHelpText('after', examples('help endpoints add'))
    .action((names: string[]) => commandOf(program, names).help());
  return program;
}

/** The command of these names, such as `endpoints add`. Ends the program when there is none: Commander's own help command
 *  would print the help of all commands instead. */
function commandOf(program: Command, names: readonly string[]): Command {
  let command = program;
  for (const name of names) {
    const all = command.commands.map(each => each.name());
    const found = command.commands.find(each => each.name() === name);
    if (!found)
      program.error(
        `error: There is no command ${[...(command === program ? [] : [command.name()]), name].join(' ')}.${didYouMean(name, all)}`,
      );
    command = found;
  }
  return command;
}

const EXIT_CODES = `
Exit codes: 0 done; 1 it could not be done, or what was tested failed; 2 asked wrongly.
More of each command: npx changewire help COMMAND, and docs/operating.md.`;

/** The error's message, safe for a terminal. */
function wordsOf(error: unknown): string {
  const message =
    error instanceof Refused || error instanceof UsageError ? error.message : `${failure(error)}.`;
  return printableLines(message);
}
