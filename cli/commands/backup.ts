import type { Command } from 'commander';
import type { Cli } from '../context/runner.ts';
import { text } from '../show/paper.ts';
import { examples } from './example.ts';

export function backupCommand(program: Command, { run, world }: Cli): void {
  program
    .command('backup <dir>')
    .description('copy the data directory of a run into a new one, also while it is in use')
    .addHelpText('after', examples('backup copy', 'backup /mnt/copies/today --data /var/lib/changewire'))
    .action(
      run(async ({ place, print }, to: string) => {
        const from = await world.backUp(place, to);
        print.answer(
          { from, to },
          () => text`${from} is copied to ${to}. A start with --data ${to} goes on from there.`,
        );
      }),
    );
}
