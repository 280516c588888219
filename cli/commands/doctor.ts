import type { Command } from 'commander';
import { doctorText } from '../show/doctor.ts';
import type { Cli } from './commands.ts';
import { examples } from './example.ts';

export function doctorCommand(program: Command, { run }: Cli): void {
  program
    .command('doctor <process>')
    .description('ask the service what its documentation leaves open, and say which settings follow')
    .option('--workspace <name>', 'its workspace, where there are several')
    .addHelpText('after', examples('doctor launch', 'doctor launch --json'))
    .action(
      run(async ({ ask, print }, process: string, { workspace }: { workspace?: string }) => {
        print.note('Asking the service; this takes up to some minutes.');
        const told = await ask({ operation: 'doctor', process, ...(workspace && { workspace }) });
        print.answer(told, paper => doctorText(told, paper));
      }),
    );
}
