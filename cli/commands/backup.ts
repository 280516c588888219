import type { Command } from 'commander';
import type { Cli } from '../context/runner.ts';
import { text } from '../show/display.ts';
import { examples } from './example.ts';

export function backupCommand(program: Command, { run, world }: Cli): void {
  program
    .command('backup <dir>')
    .description('back up the data directory to a new directory (safe while running)')
    .addHelpText('after', examples('backup copy', 'backup /mnt/copies/today --data /var/lib/changewire'))
    .action(
      run(async ({ place, print }, to: string) => {
        const from = await world.backUp(place, to);
        print.answer(
          { from, to },
          () => text`Copied ${from} to ${to}. To continue from the copy: npx changewire start --data ${to}`,
        );
      }),
    );
}
