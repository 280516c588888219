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
      .option(
        '--config <file>',
        'configuration file, or one of its stacks as FILE#STACK (default: changewire.json)',
      )
      .configureHelp({ showGlobalOptions: false });
  command('synth', 'validate a configuration file and write its CloudFormation templates to cdk.out')
    .addHelpText('after', examples('synth', 'synth --config stacks.json'))
    .action(
      run(async (context, more: string[], options: Options) => {
        const file = fileOf(context, world, options);
        const configs = readConfigsFile(file);
        // The output of the CDK about its templates names its own commands.
        await cdk(world, { file, command: 'synth', own: ['--quiet'], more, quiet: more.length === 0 });
        const stacks = configs.flatMap(stackNames);
        context.print.answer({ stacks }, () => `Wrote the templates of ${stacks.join(', ')} to cdk.out.`);
      }),
    );
  command('deploy', 'deploy a configuration file to AWS with the CDK and your own credentials')
    .option('--yes', 'skip the confirmation of new permissions')
    .addHelpText(
      'after',
      examples('deploy', 'deploy --config stacks.json#Changewire-Eu', 'deploy --yes -- --verbose'),
    )
    .action(
      run(async (context, more: string[], options: Options) => {
        const file = fileOf(context, world, options);
        const config = readConfigFile(file);
        requireTerminal(context, options, 'the CDK asks for confirmation before it creates permissions');
        const own = [...stackNames(config), ...(options.yes ? ['--require-approval', 'never'] : [])];
        await cdkOnAws(context, world, config, { file, command: 'deploy', own, more });
        context.print.answer({ stacks: stackNames(config) }, () => deployedText(config));
      }),
    );
  command('destroy', 'remove a deployment; the data table is kept')
    .option('--yes', 'skip the confirmation')
    .addHelpText('after', examples('destroy', 'destroy --config stacks.json#Changewire-Eu --yes'))
    .action(
      run(async (context, more: string[], options: Options) => {
        const file = fileOf(context, world, options);
        const config = readConfigFile(file);
        const stacks = [subscriptionsStackName(config.stackName), config.stackName];
        requireTerminal(context, options, 'this command asks for confirmation');
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

/** The path of the configuration file. @throws UsageError if none is given and the directory has none */
function fileOf({ place }: Context, { directory }: World, { config }: Options): string {
  requireNoPlace(place, 'The configuration file names the stack and its "region": use --config FILE#STACK.');
  const file = config ?? configFileIn(directory);
  if (file !== undefined) return resolve(directory, file);
  throw new UsageError(
    'changewire.json does not exist in this directory. Create one with "npx changewire init", or use --config FILE.',
  );
}

/** `FILE#STACK`, so that the CDK synthesizes this stack alone. */
function only(file: string, { stackName }: Config): string {
  return file.endsWith(`#${stackName}`) ? file : `${file}#${stackName}`;
}

function stackNames({ stackName }: Config): string[] {
  return [tableStackName(stackName), stackName, subscriptionsStackName(stackName)];
}

function requireTerminal({ input }: Context, { yes }: Options, why: string): void {
  if (!yes && !input.canAsk) throw new UsageError(`Not running in a terminal, and ${why}. Use --yes.`);
}

interface CdkRun {
  readonly file: string;
  readonly command: string;
  readonly own: readonly string[];
  readonly more: readonly string[];
  readonly quiet?: boolean;
}

/** Runs the CDK for the stacks of this configuration. If it fails, prints possible remedies. */
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

/** Runs the CDK, which prints its own progress. @throws Failed if it fails */
async function cdk(world: World, { file, command, own, more, quiet = false }: CdkRun): Promise<void> {
  const [stray] = more.filter((argument, index) => index === 0 && !argument.startsWith('-'));
  if (stray !== undefined)
    throw new UsageError('Use --config FILE for the configuration. Put arguments for cdk after --.');
  const program = cdkProgram(world.directory);
  const code = await world.execute({
    command: [program, ...cdkArguments(command, own, more)],
    variables: { [CONFIG_VARIABLE]: file },
    quiet,
  });
  world.interrupted.throwIfAborted();
  if (code !== 0) throw new Failed();
}
