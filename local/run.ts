import { argv, cwd, env, exit, stderr, stdin, stdout, umask } from 'node:process';
import { text } from 'node:stream/consumers';
import { flush, onInterrupt, withEnvFile } from './basics/process.ts';
import { UsageError } from './basics/usage-error.ts';
import { type Runner, startRunner } from './cli/runner.ts';
import { configFileIn } from './settings/config-file.ts';
import { withValuesOfStdin } from './settings/endpoint-options.ts';
import { HELP } from './settings/help.ts';
import { type Options, parseOptions } from './settings/options.ts';
import { createOutput, type Output } from './terminal/output.ts';
import { formatEvent } from './terminal/print.ts';
import { printableLines } from './terminal/text.ts';

/**
 * Changewire on one machine (design.md §10): the same handlers as on AWS, scheduled here, over one SQLite file.
 * State is in the data directory; a restart resumes from it, however the last run ended. Exit code: 0 success,
 * 1 failure, 2 invalid command line or environment.
 */
async function main(): Promise<void> {
  // All files that this process and its database write are private to this user: they contain records and keys.
  // (Windows: see `privateDirectory`.)
  umask(0o077);
  const args = await withValuesOfStdin(argv.slice(2), () => text(stdin));
  const options = parseOptions(args, configFileIn(cwd()));
  if (options.help) return void stdout.write(HELP);
  const { json, log } = options;
  const noColour = (env.NO_COLOR ?? '') !== '';
  const output = createOutput(
    { stdout, stderr },
    { json, log, format: formatEvent, noColour, clock: Date.now },
  );
  const onLog = (line: string) => output.log.error(line, { code: 'run.failed' });
  await run(options, output).catch(error => fail(error, log === 'json' ? onLog : onStderr));
}

async function run(options: Options, output: Output): Promise<void> {
  const ending = Promise.withResolvers<'interrupted'>();
  const interrupt = () => ending.resolve('interrupted');
  onInterrupt({
    onFirst: () => {
      output.info('Stopping…', { code: 'run.stopping' });
      interrupt();
      // Ending early loses nothing: everything that was committed is on disk.
      setTimeout(() => exit(0), STOP_TIMEOUT_MS).unref();
    },
    onSecond: () => exit(130),
  });
  // The reader of the output is gone.
  for (const stream of [stdout, stderr]) stream.on('error', interrupt);
  const starting = startRunner({ options, environment: withEnvFile(env, cwd()), output, clock: Date.now });
  const runner = await Promise.race([starting, ending.promise]);
  const outcome = runner === 'interrupted' ? runner : await work(runner, options, ending.promise);
  const started = await starting.catch(() => undefined);
  await started?.stop();
  await leave(outcome === 'failed' ? 1 : 0);
}

const STOP_TIMEOUT_MS = 2500;

/** Ends the process when all of its output has been read. */
async function leave(code: number): Promise<never> {
  await Promise.all([stdout, stderr].map(flush));
  return exit(code);
}

async function work(
  runner: Runner,
  { once }: Options,
  interrupted: Promise<'interrupted'>,
): Promise<'interrupted' | 'done' | 'failed'> {
  if (!once) {
    runner.watch();
    return interrupted;
  }
  const passed = runner.once().then(isDone => (isDone ? 'done' : 'failed') as 'done' | 'failed');
  return Promise.race([passed, interrupted]);
}

/** Reports the error, and ends: with 2 when the command line or the environment is the cause. */
async function fail(error: unknown, write: (text: string) => void): Promise<never> {
  write(`changewire: ${messageOf(error)}`);
  if (!(error instanceof UsageError) && error instanceof Error && error.cause !== undefined)
    write(`  because: ${messageOf(error.cause)}`);
  return leave(error instanceof UsageError ? 2 : 1);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function onStderr(text: string): void {
  stderr.write(`${printableLines(text)}\n`);
}

await main().catch(error => fail(error, onStderr));
