import type { Command } from 'commander';
import { UsageError } from '../../local/basics/usage-error.ts';
import { type Consent, confirmed } from '../context/confirm.ts';
import type { Cli } from '../context/runner.ts';
import { text } from '../show/display.ts';
import { countText } from '../show/endpoints.ts';
import { examples } from './example.ts';

interface Options extends Consent {
  readonly to: string;
  readonly dead?: boolean;
}

export function resendCommand(program: Command, { run }: Cli): void {
  program
    .command('resend [event-id]')
    .description('resend one event (ignoring the filter) or dead letters to an endpoint')
    .requiredOption('--to <name>', 'name of the endpoint')
    .option('--dead', 'dead letters of the endpoint, oldest first, up to 1,000 at a time')
    .option('--yes', 'with --dead: skip the confirmation')
    .option('--dry-run', 'with --dead: only show the number of dead letters')
    .addHelpText(
      'after',
      examples('resend launch.1001.1795262491734.0 --to crm', 'resend --dead --to crm --yes'),
    )
    .action(
      run(async (context, eventId: string | undefined, { to, dead, ...consent }: Options) => {
        if ((eventId === undefined) !== (dead === true))
          throw new UsageError('resend requires an event id, or --dead for dead letters of the endpoint.');
        if (eventId === undefined)
          return confirmed(context, { operation: 'resend-dead', to }, consent, ({ deliveries, dryRun }) => {
            if (dryRun) return text`Would resend ${countText(deliveries) || '0'} dead letters to ${to}.`;
            // Not repeated here: letters that are given up again would come first each time, without end.
            const more = deliveries.isExact ? '' : ' There are more: run this command again.';
            return text`Resending ${deliveries.atLeast} dead letters to ${to}.${more}`;
          });
        if (consent.yes || consent.dryRun) throw new UsageError('--yes and --dry-run require --dead.');
        const { ask, print } = context;
        const resent = await ask({ operation: 'resend', eventId, to });
        print.answer(resent, () => {
          const later =
            resent.closed === undefined
              ? ''
              : text` Delivery starts when the endpoint is no longer ${resent.closed}.`;
          return `${resent.result === 'sent' ? text`Resending to ${to}.` : text`Already queued for ${to}.`}${later}`;
        });
      }),
    );
}
