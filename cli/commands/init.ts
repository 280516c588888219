import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { Refused } from '../../functions/operations/refused.ts';
import { packageFile } from '../../local/basics/package-file.ts';
import { UsageError } from '../../local/basics/usage-error.ts';
import { CONFIG_FILE } from '../../local/settings/config-file.ts';
import { type Context, Failed } from '../context/context.ts';
import type { Cli } from '../context/runner.ts';
import type { World } from '../context/world.ts';
import {
  type Credentials,
  credentialsAgain,
  credentialsOf,
  type GivenCredentials,
} from '../init/credentials.ts';
import type { Draft } from '../init/draft.ts';
import { addToEnvFile } from '../init/env-file.ts';
import { fileText } from '../init/file-text.ts';
import { answersAgain, answersTo, type Given } from '../init/questions.ts';
import { summaryText } from '../init/summary.ts';
import { listOf } from '../options/parsers.ts';
import { requireNoPlace } from '../options/place.ts';
import { examples } from './example.ts';

interface Options extends Given, GivenCredentials {
  readonly config: string;
  readonly doctor?: boolean;
  readonly force?: boolean;
}

export function initCommand(program: Command, cli: Cli): void {
  program
    .command('init')
    .description('write a configuration file and .env; prompts for the values it needs')
    .option('--config <file>', 'file to write', CONFIG_FILE)
    .option('--base-url <url>', 'URL of the API')
    .option('--auth-url <url>', 'token URL (auth server)')
    .option('--audience <text>', 'OAuth audience of the credentials')
    .option('--workspace <name>', 'workspace name, which is part of events (default: main)')
    .option('--process <ids>', 'comma-separated ids of the processes to watch; repeatable', listOf)
    .option('--client-id <id>', 'client id for .env; - reads it from stdin')
    .option('--client-secret <secret>', 'client secret for .env; - reads it from stdin')
    .option('--no-credentials', 'do not prompt for credentials')
    .option('--doctor', 'probe the service and write the suggested settings')
    .option('--no-doctor', 'do not offer to probe the service')
    .option('--force', 'overwrite an existing file')
    .configureHelp({ showGlobalOptions: false })
    .addHelpText(
      'after',
      examples(
        'init',
        'init --doctor',
        'init --base-url https://api.example.com --auth-url https://auth.example.com --audience https://api.example.com --process launch --no-credentials',
      ),
    )
    .action(cli.run((context, options: Options) => init(context, cli.world, options)));
}

async function init(context: Context, world: World, options: Options): Promise<void> {
  requireNoPlace(context.place, 'init writes a local file.');
  const file = resolve(world.directory, options.config);
  const isForced = options.force === true;
  if (!isForced && existsSync(file))
    throw new UsageError(`${options.config} already exists. Use --config FILE or --force to overwrite.`);
  const { input, print } = context;
  if (input.canAsk)
    print.note(`This command creates ${options.config} after the last answer. Press Ctrl-C to cancel.`);
  const answers = await answersTo(options, { input, note: print.note });
  const typed = await credentialsOf(answers.name, options, { ...world, input });
  const { draft, credentials } = await withSuggestedSettings(context, answers, typed, options);
  // A value that .env does not support is refused before anything is written.
  const hasNew = Object.keys(credentials.added).length > 0;
  const writeEnvFile = hasNew ? addToEnvFile(world.directory, credentials.added) : undefined;
  const schema = packageFile('docs/schemas/configuration.schema.json');
  const path = schema && relative(dirname(file), schema).replaceAll('\\', '/');
  writeFileSync(file, fileText(draft, path && (path.startsWith('.') ? path : `./${path}`)), {
    flag: isForced ? 'w' : 'wx',
  });
  writeEnvFile?.();
  const written = {
    file: options.config,
    variables: Object.keys(credentials.added),
    missing: credentials.missing,
  };
  print.answer(written, () => summaryText(written));
}

interface Drafted {
  readonly draft: Draft;
  readonly credentials: Credentials;
}

/** The draft with the settings that the doctor suggests, if requested. While the service cannot be read, offers to
 *  change the answers that may be wrong. */
async function withSuggestedSettings(
  context: Context,
  draft: Draft,
  credentials: Credentials,
  { doctor }: Pick<Options, 'doctor'>,
): Promise<Drafted> {
  const { input, print, sleep, interrupted } = context;
  const { missing, environment } = credentials;
  if (missing.length > 0) {
    if (!doctor) return { draft, credentials };
    throw new UsageError(
      `--doctor needs credentials: set ${missing.join(' and ')} in the environment or .env, or use --client-id and --client-secret.`,
    );
  }
  const offer = 'Probe the service now to find suitable settings (a few dozen read-only requests)?';
  const isWanted = doctor ?? (input.canAsk && (await input.confirm(offer)));
  if (!isWanted) return { draft, credentials };
  // Loaded lazily so that the first prompt appears at once.
  const { examined, Unreadable } = await import('../init/examine.ts');
  const prompts = { input, note: print.note };
  try {
    // Ctrl-C ends the command at once: requests may take long.
    const ended = once(interrupted, 'abort').then((): never => {
      throw interrupted.reason;
    });
    const examining = examined(draft, { environment, sleep, note: print.note });
    return { draft: await Promise.race([examining, ended]), credentials };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    if (!input.canAsk) throw new Refused(`${error.message} Nothing was written.`);
    print.note(error.message);
    if (await input.confirm('Change the answers that may be wrong, and try again?')) {
      const changed = await answersAgain(draft, error.answers, prompts);
      const retyped = await credentialsAgain(draft.name, credentials, prompts);
      return await withSuggestedSettings(context, changed, retyped, { doctor: true });
    }
    if (await input.confirm('Save anyway?')) return { draft, credentials };
    print.note('Nothing was written.');
    throw new Failed();
  }
}
