import type { Command } from 'commander';
import { doctorText } from '../show/doctor.ts';
import type { Cli } from './commands.ts';
import { examples } from './example.ts';

interface Options {
  readonly workspace?: string;
  readonly config?: string;
}

export function doctorCommand(program: Command, { run, world }: Cli): void {
  program
    .command('doctor <process>')
    .description('ask the service what its documentation leaves open, and say which settings follow')
    .option('--workspace <name>', 'its workspace, where there are several')
    .option('--config <file>', 'the service of this configuration file; else of SERVICE_*, else of the run')
    .addHelpText(
      'after',
      examples('doctor launch', 'doctor launch --config changewire.json', 'doctor launch --json'),
    )
    .action(
      run(async ({ ask, print, place }, process: string, { config, workspace }: Options) => {
        const asked = { process, ...(workspace !== undefined && { workspace }) };
        const direct = await world.doctor({ ...place, config });
        print.note('Asking the service: some dozen requests, which change nothing.');
        const told = direct ? await direct.examine(asked) : await ask({ operation: 'doctor', ...asked });
        print.answer(told, paper => doctorText(told, paper, direct?.addressesOf(told.workspace)));
      }),
    );
}
