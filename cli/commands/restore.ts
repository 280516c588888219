import type { Command } from 'commander';
import { UsageError } from '../../local/basics/usage-error.ts';
import type { PlannedRestore } from '../connect/back-up.ts';
import { type Consent, consent, NO_TERMINAL } from '../context/confirm.ts';
import type { Cli } from '../context/runner.ts';
import { text } from '../show/display.ts';
import { examples } from './example.ts';

/** `changewire restore`: the counterpart of `backup` (docs/self-hosting.md). `restore-table` is for stacks. */
export function restoreCommand(program: Command, { run, world }: Cli): void {
  program
    .command('restore <dir>')
    .description('put a backup back into the data directory, while Changewire is stopped')
    .option('--yes', 'skip the confirmation')
    .option('--dry-run', 'only check the backup, and show what would be restored')
    .addHelpText(
      'after',
      examples('restore copy', 'restore /mnt/copies/today --data /var/lib/changewire --yes'),
    )
    .action(
      run(async ({ place, print, input, clock }, from: string, { yes, dryRun }: Consent) => {
        if (!yes && !dryRun && !input.canAsk) throw new UsageError(NO_TERMINAL);
        const plan = await world.planRestore(place, from);
        const { to, lastEventAt } = plan;
        const answer = {
          ...{ from: plan.from, to },
          ...(lastEventAt !== undefined && { lastEventAt: new Date(lastEventAt).toISOString() }),
        };
        if (dryRun) return print.answer({ ...answer, dryRun }, () => effectOf(plan));
        if (!yes) await consent({ print, input }, effectOf(plan));
        const before = plan.apply(clock());
        print.answer({ ...answer, ...(before !== undefined && { before }) }, () =>
          [
            text`Restored ${to} from ${plan.from}.`,
            ...(before === undefined
              ? []
              : [text`The replaced data is in ${before}: delete it after a check.`]),
            text`Next, start Changewire: it emits the changes since the backup again, with new ids and a larger sequence.`,
          ].join('\n'),
        );
      }),
    );
}

function effectOf({ from, to, lastEventAt, replaces }: PlannedRestore): string {
  const newest =
    lastEventAt === undefined ? 'without events' : `with events up to ${new Date(lastEventAt).toISOString()}`;
  const what = text`Would put the backup ${from}, ${newest}, into ${to}.`;
  return replaces ? `${what} The data that is there now is kept beside it.` : what;
}
