import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Config } from '../../functions/config/schema.ts';
import { subscriptionsStackName, tableStackName } from '../../functions/config/schema.ts';
import { UsageError } from '../../local/basics/usage-error.ts';
import { configFileIn, readConfigFile, readConfigsFile } from '../../local/settings/config-file.ts';
import { consent } from '../context/confirm.ts';
import { type Context, Failed } from '../context/context.ts';
import type { Cli } from '../context/runner.ts';
import type { World } from '../context/world.ts';
import { CONFIG_VARIABLE, cdkArguments } from '../deploy/cdk-command.ts';
import { deployedText, destroyedText, failedText } from '../deploy/next-steps.ts';
import { cdkProgram } from '../deploy/peers.ts';
import { requireNoPlace } from '../options/place.ts';
import { examples } from './example.ts';

interface Options {
  readonly config?: string;
  readonly yes?: boolean;
}

export function deployCommands(program: Command, { run, world }: Cli): void {
  const command = (name: string, description: string) =>
    program
      .command(`${name} [cdk...]`)
      .description(description)
      .option('--config <file>', 'the configuration file, or one stack of it as FILE#STACK (changewire.json)')
      .configureHelp({ showGlobalOptions: false });
  command('synth', 'check a configuration file, and write the templates of its stacks to cdk.out')
    .addHelpText('after', examples('synth', 'synth --config stacks.json'))
    .action(
      run(async (context, more: string[], options: Options) => {
        const file = fileOf(context, world, options);
        const configs = readConfigsFile(file);
        // What the CDK says of templates that it wrote is about its own commands.
        await cdk(world, { file, command: 'synth', own: ['--quiet'], more, quiet: more.length === 0 });
        const stacks = configs.flatMap(stackNames);
        context.print.answer({ stacks }, () => `cdk.out has the templates of ${stacks.join(', ')}.`);
      }),
    );
  command('deploy', 'deploy a configuration file to AWS, by the CDK, with your own credentials')
    .option('--yes', 'without asking before permissions are created')
    .addHelpText(
      'after',
      examples('deploy', 'deploy --config stacks.json#Changewire-Eu', 'deploy --yes -- --verbose'),
    )
    .action(
      run(async (context, more: string[], options: Options) => {
        const file = fileOf(context, world, options);
        const config = readConfigFile(file);
        refuseUnasked(context, options, 'the CDK asks before it creates permissions');
        const own = [...stackNames(config), ...(options.yes ? ['--require-approval', 'never'] : [])];
        await cdkOnAws(context, world, config, { file, command: 'deploy', own, more });
        context.print.answer({ stacks: stackNames(config) }, () => deployedText(config));
      }),
    );
  command('destroy', 'take a deployment away again, all but the table with what is known')
    .option('--yes', 'without asking')
    .addHelpText('after', examples('destroy', 'destroy --config stacks.json#Changewire-Eu --yes'))
    .action(
      run(async (context, more: string[], options: Options) => {
        const file = fileOf(context, world, options);
        const config = readConfigFile(file);
        const stacks = [subscriptionsStackName(config.stackName), config.stackName];
        refuseUnasked(context, options, 'this asks before it destroys anything');
        if (!options.yes) await consent(context, destroyedText(config, { isDone: false }));
        await cdkOnAws(context, world, config, {
          file,
          command: 'destroy',
          own: [...stacks, '--force'],
          more,
        });
        context.print.answer({ stacks }, () => destroyedText(config, { isDone: true }));
      }),
    );
}

/** The configuration file that is meant. @throws UsageError where none is named and the folder has none */
function fileOf({ place }: Context, { directory }: World, { config }: Options): string {
  requireNoPlace(
    place,
    'What is deployed stands in the configuration file: --config FILE#STACK, with its "region".',
  );
  const file = config ?? configFileIn(directory);
  if (file !== undefined) return resolve(directory, file);
  throw new UsageError(
    'There is no changewire.json here: npx changewire init writes one. Or name another file with --config FILE.',
  );
}

/** The file with the one stack of it that is meant, so that the CDK makes no other. */
function only(file: string, { stackName }: Config): string {
  return file.endsWith(`#${stackName}`) ? file : `${file}#${stackName}`;
}

function stackNames({ stackName }: Config): string[] {
  return [tableStackName(stackName), stackName, subscriptionsStackName(stackName)];
}

function refuseUnasked({ input }: Context, { yes }: Options, why: string): void {
  if (!yes && !input.canAsk) throw new UsageError(`Nobody is there to be asked, and ${why}: say --yes.`);
}

interface CdkRun {
  readonly file: string;
  readonly command: string;
  readonly own: readonly string[];
  readonly more: readonly string[];
  readonly quiet?: boolean;
}

/** Runs the CDK for the stacks of this configuration alone. Where it fails, more is said of what to do. */
async function cdkOnAws(
  { print }: Context,
  world: World,
  config: Config,
  { file, ...more }: CdkRun,
): Promise<void> {
  try {
    await cdk(world, { ...more, file: only(file, config) });
  } catch (error) {
    if (error instanceof Failed) print.note(failedText(config.stackName));
    throw error;
  }
}

/** Runs the CDK, which tells what it does itself. @throws Failed where it fails */
async function cdk(world: World, { file, command, own, more, quiet = false }: CdkRun): Promise<void> {
  const [stray] = more.filter((argument, index) => index === 0 && !argument.startsWith('-'));
  if (stray !== undefined)
    throw new UsageError('The configuration is named by --config FILE; arguments for cdk stand behind --.');
  const program = cdkProgram(world.directory);
  const code = await world.execute({
    command: [program, ...cdkArguments(command, own, more)],
    variables: { [CONFIG_VARIABLE]: file },
    quiet,
  });
  world.interrupted.throwIfAborted();
  if (code !== 0) throw new Failed();
}
