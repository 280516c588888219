import { type Command, Option } from 'commander';
import { UsageError } from '../../local/basics/usage-error.ts';
import { HELP } from '../../local/settings/help.ts';
import { OPTIONS } from '../../local/settings/options.ts';
import type { Cli } from '../context/runner.ts';
import { examples } from './example.ts';

/** `changewire start`, for help and completion only: `cli/changewire.js` starts a run itself. */
export function startCommand(program: Command, _: Cli): void {
  const start = program
    .command('start')
    .description('watch processes from this machine; uses a simulated service unless you configure one')
    .allowUnknownOption()
    .allowExcessArguments()
    .configureHelp({ showGlobalOptions: false, formatHelp: () => HELP })
    .addHelpText('after', examples('start', 'start --config changewire.json', 'start --once --json'))
    .action(() => {
      throw new UsageError('"start" must be the first argument: npx changewire start [options].');
    });
  for (const { name, takesValue } of OPTIONS.filter(({ name }) => name !== 'help'))
    start.addOption(new Option(`--${name}${takesValue ? ' <value>' : ''}`));
}
