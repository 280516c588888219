import { argv, cwd, env, exit, stderr, stdout, umask } from 'node:process';
import { withEnvFile } from './cli/environment.ts';
import { flush } from './cli/flush.ts';
import { HELP } from './cli/help.ts';
import { type Options, parseOptions } from './cli/options.ts';
import { createOutput, type Output } from './cli/output.ts';
import { type Runner, startRunner } from './cli/runner.ts';
import { onInterrupt } from './cli/signals.ts';
import { UsageError } from './cli/usage-error.ts';
import { formatEvent } from './subscriber/print.ts';

/**
 * The whole of Changewire on one machine (DESIGN §10): the same handlers as on AWS, scheduled here, over one SQLite file.
 * State lives in the data directory; a restart goes on from there, whatever ended the last run. Exit
 * code: 0, or 1 when something failed, or 2 when the command line or the environment can't be followed.
 */
async function main(): Promise<void> {
  // Whatever this and its database write holds records, or keys: it is for this user alone.
  umask(0o077);
  const options = parseOptions(argv.slice(2));
  if (options.help) return void stdout.write(HELP);
  const output = createOutput(
    { stdout, stderr },
    { json: options.json, format: formatEvent, noColour: (env.NO_COLOR ?? '') !== '' },
  );
  await run(options, output);
}

async function run(options: Options, output: Output): Promise<void> {
  const ending = Promise.withResolvers<'interrupted'>();
  const interrupt = () => ending.resolve('interrupted');
  onInterrupt({
    onFirst: () => {
      output.say('Stopping…');
      interrupt();
      // Whatever was committed is on disk.
      setTimeout(() => exit(0), STOP_WITHIN).unref();
    },
    onSecond: () => exit(130),
  });
  // Whoever read our output is gone.
  for (const stream of [stdout, stderr]) stream.on('error', interrupt);
  const starting = startRunner({ options, environment: withEnvFile(env, cwd()), output, clock: Date.now });
  const runner = await Promise.race([starting, ending.promise]);
  const outcome = runner === 'interrupted' ? runner : await work(runner, options, ending.promise);
  const started = await starting.catch(() => undefined);
  await started?.stop();
  await leave(outcome === 'failed' ? 1 : 0);
}

const STOP_WITHIN = 2500;

/** Ends, when all that was said is read. */
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
  const passed = runner.once().then(well => (well ? 'done' : 'failed') as 'done' | 'failed');
  return Promise.race([passed, interrupted]);
}

await main().catch(async error => {
  stderr.write(`changewire: ${error instanceof Error ? error.message : String(error)}\n`);
  if (!(error instanceof UsageError) && error instanceof Error && error.cause !== undefined)
    stderr.write(`  because: ${error.cause instanceof Error ? error.cause.message : String(error.cause)}\n`);
  await leave(error instanceof UsageError ? 2 : 1);
});
