import { argv, cwd, env, exit, stderr, stdin, stdout } from 'node:process';
import { Command, CommanderError } from 'commander';
import { sleep } from '../functions/basics/system.ts';
import { didYouMean, Refused } from '../functions/operations/refused.ts';
import { packageVersion } from '../local/basics/package-file.ts';
import { flush, isReaderGone, withEnvFile } from '../local/basics/process.ts';
import { UsageError } from '../local/basics/usage-error.ts';
import { printable } from '../local/terminal/text.ts';
import { browse } from './browse.ts';
import { actionsCommand } from './commands/actions.ts';
import { backupCommand } from './commands/backup.ts';
import { completionCommand } from './commands/completion.ts';
import { consoleCommand } from './commands/console.ts';
import { deployCommands } from './commands/deploy.ts';
import { doctorCommand } from './commands/doctor.ts';
import { endpointCommands } from './commands/endpoints.ts';
import { eraseCommand } from './commands/erase.ts';
import { eventCommands } from './commands/events.ts';
import { examples } from './commands/example.ts';
import { initCommand } from './commands/init.ts';
import { listenCommand } from './commands/listen.ts';
import { mcpCommand } from './commands/mcp.ts';
import { processCommands } from './commands/processes.ts';
import { pullCommands } from './commands/pull.ts';
import { recordCommand } from './commands/record.ts';
import { reloadCommand } from './commands/reload.ts';
import { replayCommand } from './commands/replay.ts';
import { reportCommand } from './commands/report.ts';
import { republishCommand } from './commands/republish.ts';
import { resendCommand } from './commands/resend.ts';
import { restoreCommand } from './commands/restore.ts';
import { restoreTableCommand } from './commands/restore-table.ts';
import { snapshotCommand } from './commands/snapshot.ts';
import { failedMessageCommands, logsCommand } from './commands/stack.ts';
import { startCommand } from './commands/start.ts';
import { statusCommand } from './commands/status.ts';
import { typesCommand } from './commands/types.ts';
import { verifyCommand } from './commands/verify.ts';
import { backUpRun, planRestore } from './connect/back-up.ts';
import { openDoctor } from './connect/doctor.ts';
import { Failed, messageOf } from './context/context.ts';
import { terminalInput } from './context/input.ts';
import { type Cli, open, runnerOf } from './context/runner.ts';
import type { World } from './context/world.ts';
import { execute } from './deploy/execute.ts';

export const EXIT = { done: 0, failed: 1, usage: 2, interrupted: 130 } as const;

/** `npx changewire …` (docs/operating.md). Exit code: 0 on success, 1 on failure, 2 for invalid usage. */
export async function runHere(): Promise<void> {
  const interrupting = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      // The second Ctrl-C exits at once.
      if (interrupting.signal.aborted) exit(130);
      interrupting.abort();
    });
  // A closed pipe, such as to `head`, is not an error.
  stdout.on('error', error => {
    if (isReaderGone(error)) exit(EXIT.done);
    stderr.write(`changewire: could not write the output: ${error.message}\n`, () => exit(EXIT.failed));
  });

  const code = await changewire(argv.slice(2), {
    ...{ stdout, stderr, env, sleep, open, browse, backUp: backUpRun, planRestore },
    directory: cwd(),
    execute: program => execute(program, interrupting.signal),
    // Loaded lazily, so that all other commands start fast.
    stackTable: async place => {
      const { openStackTable } = await import('./restore/stack-table.ts');
      return openStackTable(place, { sleep, signal: interrupting.signal });
    },
    doctor: place => openDoctor(place, withEnvFile(env, cwd()), cwd()),
    input: terminalInput({ stdin, stderr }, interrupting.signal),
    clock: Date.now,
    interrupted: interrupting.signal,
  });
  await Promise.all([stdout, stderr].map(flush));
  exit(code);
}

/** Runs the command line. @returns the exit code */
export async function changewire(args: readonly string[], world: World): Promise<number> {
  const program = createProgram(world);
  try {
    await program.parseAsync(args.length > 0 ? [...args] : ['--help'], { from: 'user' });
    return EXIT.done;
  } catch (error) {
    // Commander has already printed the error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    if (world.interrupted.aborted || (error as Error).name === 'AbortError') return EXIT.interrupted;
    if (!(error instanceof Failed)) world.stderr.write(`changewire: ${messageOf(error)}\n`);
    const isUsage = error instanceof UsageError || (error instanceof Refused && error.isUsage);
    return isUsage ? EXIT.usage : EXIT.failed;
  }
}

/** The command line, whose commands run in `world`. */
export function createProgram(world: World): Command {
  const { stdout, stderr } = world;
  const program = new Command('changewire')
    .description('Run Changewire locally or deploy it to AWS, monitor it, and fix problems.')
    .option(
      '--stack <name>',
      'use this stack on AWS, with your own credentials (default: the local instance)',
    )
    .option('--region <region>', 'region of the stack (default: AWS_REGION)')
    .option(
      '--data <dir>',
      'data directory of the local instance (default: .changewire, .changewire/simulated or .)',
    )
    .option('--json', 'print JSON, one object per line')
    .option('--no-color', 'disable colours, like NO_COLOR')
    .version(packageVersion(), '--version', 'print the version')
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
    .description('show help for a command')
    .helpGroup('Other:')
    .addHelpText('after', examples('help endpoints add'))
    .action((names: string[]) => commandOf(program, names).help());
  return program;
}

/** Adds all commands in the order of the help. */
function addCommands(program: Command, cli: Cli): void {
  program.commandsGroup('Run:');
  initCommand(program, cli);
  startCommand(program, cli);
  reloadCommand(program, cli);
  deployCommands(program, cli);
  program.commandsGroup('Monitor:');
  consoleCommand(program, cli);
  statusCommand(program, cli);
  eventCommands(program, cli);
  recordCommand(program, cli);
  typesCommand(program, cli);
  listenCommand(program, cli);
  actionsCommand(program, cli);
  doctorCommand(program, cli);
  verifyCommand(program, cli);
  logsCommand(program, cli);
  reportCommand(program, cli);
  mcpCommand(program, cli);
  program.commandsGroup('Manage:');
  endpointCommands(program, cli);
  resendCommand(program, cli);
  replayCommand(program, cli);
  snapshotCommand(program, cli);
  pullCommands(program, cli);
  processCommands(program, cli);
  eraseCommand(program, cli);
  failedMessageCommands(program, cli);
  republishCommand(program, cli);
  restoreTableCommand(program, cli);
  backupCommand(program, cli);
  restoreCommand(program, cli);
  program.commandsGroup('Other:');
  completionCommand(program, cli);
}

/** The command with these names, such as `endpoints add`. For an unknown one, fails: Commander's own help command would
 *  print the help of all commands. */
function commandOf(program: Command, names: readonly string[]): Command {
  let command = program;
  for (const name of names) {
    const all = command.commands.map(each => each.name());
    const found = command.commands.find(each => each.name() === name);
    if (!found)
      program.error(
        `error: Unknown command "${[...(command === program ? [] : [command.name()]), name].join(' ')}".${didYouMean(name, all)}`,
      );
    command = found;
  }
  return command;
}

const EXIT_CODES = `
Exit codes: 0 success; 1 failure, or a failed test; 2 invalid usage.
More about a command: npx changewire help COMMAND, and docs/operating.md.`;
