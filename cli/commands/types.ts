import type { Command } from 'commander';
import type { Cli } from '../context/runner.ts';
import { typesText } from '../show/types.ts';
import { examples } from './example.ts';

export function typesCommand(program: Command, { run }: Cli): void {
  program
    .command('types <process>')
    .description("print TypeScript types of a process's records, by its field definitions")
    .option('--workspace <name>', 'its workspace, if several have this process')
    .addHelpText('after', examples('types onboarding'))
    .action(
      run(async ({ ask, print }, process: string, { workspace }: { readonly workspace?: string }) => {
        const answer = await ask({ operation: 'definitions', process, ...(workspace && { workspace }) });
        print.answer(answer, () => typesText(answer));
      }),
    );
}
