import { argv, cwd, env, exit, stderr, stdin, stdout, umask } from 'node:process';
import { text } from 'node:stream/consumers';
import type { Clock } from '../functions/basics/clock.ts';
import { type Environment, flush, isReaderGone, onInterrupt } from './basics/process.ts';
import { UsageError } from './basics/usage-error.ts';
import { type Runner, startRunner } from './cli/runner.ts';
import { configFileIn } from './settings/config-file.ts';
import { withValuesOfStdin } from './settings/endpoint-options.ts';
import { HELP } from './settings/help.ts';
import { type Options, parseOptions } from './settings/options.ts';
import { createOutput, type Output, type Terminal } from './terminal/output.ts';
import { formatEvent } from './terminal/print.ts';
import { printableLines } from './terminal/text.ts';

const EXIT = { done: 0, failed: 1, usage: 2, interrupted: 130 } as const;
const STOP_TIMEOUT_MS = 2500;

/** The process that a run is in. */
export interface World extends Terminal {
  /** Reads all of stdin, for values that are given as `-`. */
  readonly input: () => Promise<string>;
  readonly environment: Environment;
  /** The current directory: relative data directories start from it. */
  readonly directory: string;
  readonly clock: Clock;
  /** Ends the run. */
  readonly interrupted: AbortSignal;
}

/** Runs `npm start` in this process, and ends it when all of its output has been read. */
export async function runHere(): Promise<never> {
  // All files that this process and its database write are private to this user: they contain records and keys.
  // (Windows: see `privateDirectory`.)
  umask(0o077);
  const interrupting = new AbortController();
  onInterrupt({
    onFirst: () => {
      interrupting.abort();
      // Ending early loses nothing: everything that was committed is on disk.
      setTimeout(() => exit(interruptedCode(argv.includes('--once'))), STOP_TIMEOUT_MS).unref();
    },
    onSecond: () => exit(EXIT.interrupted),
  });
  const code = await start(argv.slice(2), {
    ...{ stdout, stderr, input: () => text(stdin), environment: env, directory: cwd() },
    ...{ clock: Date.now, interrupted: interrupting.signal },
  });
  await Promise.all([stdout, stderr].map(flush));
  return exit(code);
}

/**
 * Changewire on one machine (design.md §10): the same handlers as on AWS, scheduled here, over one SQLite file.
 * State is in the data directory; a restart resumes from it, however the last run ended.
 * @returns the exit code: 0 success, 1 failure, 2 invalid command line or environment, 130 interrupted with `--once`
 */
export async function start(args: readonly string[], world: World): Promise<number> {
  let write = (line: string): void => void world.stderr.write(`${printableLines(line)}\n`);
  try {
    const options = parseOptions(
      await withValuesOfStdin([...args], world.input),
      configFileIn(world.directory),
    );
    if (options.help) {
      world.stdout.write(HELP);
      return EXIT.done;
    }
    const { json, log } = options;
    const noColour = (world.environment.NO_COLOR ?? '') !== '';
    const output = createOutput(world, { json, log, format: formatEvent, noColour, clock: world.clock });
    if (log === 'json') write = line => output.log.error(line, { code: 'run.failed' });
    return await run(options, output, world);
  } catch (error) {
    write(`changewire: ${messageOf(error)}`);
    const isUsage = error instanceof UsageError;
    if (!isUsage && error instanceof Error && error.cause !== undefined)
      write(`  because: ${messageOf(error.cause)}`);
    return isUsage ? EXIT.usage : EXIT.failed;
  }
}

async function run(options: Options, output: Output, world: World): Promise<number> {
  const { stdout, stderr, environment, directory, clock, interrupted } = world;
  const ending = Promise.withResolvers<'interrupted'>();
  const interrupt = () => ending.resolve('interrupted');
  const onSignal = () => {
    output.info('Stopping…', { code: 'run.stopping' });
    interrupt();
  };
  interrupted.addEventListener('abort', onSignal, { once: true });
  let lost: Error | undefined;
  const onError = (error: Error) => {
    if (!isReaderGone(error)) lost ??= error;
    interrupt();
  };
  for (const stream of [stdout, stderr]) stream.on('error', onError);
  const starting = startRunner({ options, environment, directory, output, clock });
  let outcome: 'interrupted' | 'done' | 'failed';
  try {
    const runner = await Promise.race([starting, ending.promise]);
    outcome = runner === 'interrupted' ? runner : await work(runner, options, ending.promise);
  } finally {
    const started = await starting.catch(() => undefined);
    await started?.stop();
  }
  if (lost) stderr.write(`changewire: could not write the output: ${lost.message}\n`);
  if (outcome === 'failed' || lost) return EXIT.failed;
  return outcome === 'interrupted' ? interruptedCode(options.once) : EXIT.done;
}

/** A run with `--once` has not done what its success would promise; any other one ends by an interruption only. */
function interruptedCode(once: boolean): number {
  return once ? EXIT.interrupted : EXIT.done;
}

async function work(
  runner: Runner,
  { once }: Options,
  interrupted: Promise<'interrupted'>,
): Promise<'interrupted' | 'done' | 'failed'> {
  if (!once) {
    runner.watch();
    return Promise.race([runner.failed, interrupted]);
  }
  const passed = runner.once().then(isDone => (isDone ? 'done' : 'failed') as 'done' | 'failed');
  return Promise.race([passed, interrupted]);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
