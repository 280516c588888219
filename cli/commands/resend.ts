import type { Command } from 'commander';
import { UsageError } from '../../local/basics/usage-error.ts';
import { type Consent, confirmed } from '../context/confirm.ts';
import type { Cli } from '../context/runner.ts';
import { countText } from '../show/endpoints.ts';
import { text } from '../show/paper.ts';
import { examples } from './example.ts';

interface Options extends Consent {
  readonly to: string;
  readonly dead?: boolean;
}

export function resendCommand(program: Command, { run }: Cli): void {
  program
    .command('resend [event-id]')
    .description('send one event to one endpoint once more, whatever its filter; or all of its dead letters')
    .requiredOption('--to <name>', 'the endpoint')
    .option('--dead', 'all that it never got')
    .option('--yes', 'with --dead: without asking')
    .option('--dry-run', 'with --dead: say how many, and do nothing')
    .addHelpText(
      'after',
      examples('resend launch.1001.1795262491734.0 --to crm', 'resend --dead --to crm --yes'),
    )
    .action(
      run(async (context, eventId: string | undefined, { to, dead, ...consent }: Options) => {
        if ((eventId === undefined) !== (dead === true))
          throw new UsageError("resend takes an event's id, or --dead for all dead letters of the endpoint.");
        if (eventId === undefined)
          return confirmed(context, { operation: 'resend-dead', to }, consent, ({ deliveries, dryRun }) => {
            const letters = `${countText(deliveries) || 'no'} dead letters`;
            return dryRun
              ? text`${to} would get ${letters} once more.`
              : text`${to}: gets ${letters} once more.`;
          });
        if (consent.yes || consent.dryRun) throw new UsageError('--yes and --dry-run go with --dead.');
        const { ask, print } = context;
        const resent = await ask({ operation: 'resend', eventId, to });
        print.answer(resent, () => {
          const later =
            resent.closed === undefined
              ? ''
              : text` It is sent once the endpoint is not ${resent.closed} any more.`;
          return `${text`${to}: ${resent.result === 'sent' ? 'gets it once more' : 'waits for it already'}.`}${later}`;
        });
      }),
    );
}
