import type { Command } from 'commander';
import { UsageError } from '../../local/basics/usage-error.ts';
import { type Consent, confirmed } from '../context/confirm.ts';
import type { Cli } from '../context/runner.ts';
import { listOf, timeOf, typesOf } from '../options/parsers.ts';
import { hint, text } from '../show/display.ts';
import { countText } from '../show/endpoints.ts';
import { examples } from './example.ts';

interface Options extends Consent {
  readonly to: string;
  readonly since?: string;
  readonly until?: string;
  readonly type?: string[];
  readonly process?: string[];
  readonly cancel?: boolean;
}

export function replayCommand(program: Command, { run, world }: Cli): void {
  const time = timeOf(world.clock);
  program
    .command('replay')
    .description('resend all events of a time range to one endpoint')
    .requiredOption('--to <name>', 'name of the endpoint')
    .option('--since <time>', 'a time, a date, or an age such as 30m, 2h, 3d', time)
    .option('--until <time>', 'end time (default: now)', time)
    .option('--type <types>', 'only these event types, comma-separated', typesOf)
    .option('--process <ids>', 'only these processes, comma-separated ids', listOf)
    .option('--cancel', 'cancel the current replay')
    .option('--yes', 'skip the confirmation')
    .option('--dry-run', 'only show the number of events')
    .addHelpText(
      'after',
      examples(
        'replay --to crm --since 2h --dry-run',
        'replay --to crm --since 2h --yes',
        'replay --cancel --to crm',
      ),
    )
    .action(
      run(async (context, { to, since, until, type, process, cancel, ...consent }: Options) => {
        if (cancel) return cancelled(context, to, { since, until, type, process });
        if (since === undefined)
          throw new UsageError('replay requires --since TIME, such as --since 2h, or --cancel.');
        const request = {
          ...({ operation: 'replay', to, since } as const),
          ...(until !== undefined && { until }),
          ...(type && { types: type }),
          ...(process && { processes: process }),
        };
        await confirmed(context, request, consent, answer => {
          const range = `${answer.since} to ${answer.until}`;
          const events = answer.events ? `${countText(answer.events) || '0'} events` : 'events';
          return answer.dryRun
            ? text`Would replay ${events} from ${range} to ${to} (filter applied).`
            : text`Replaying ${events} from ${range} to ${to} (filter applied). See its progress with: ${hint('status', context.print.display())}`;
        });
      }),
    );
}

async function cancelled(
  { ask, print }: Parameters<typeof confirmed>[0],
  to: string,
  others: object,
): Promise<void> {
  if (Object.values(others).some(value => value !== undefined))
    throw new UsageError('--cancel can only be combined with --to.');
  const answer = await ask({ operation: 'cancel-replay', to });
  print.answer(answer, () =>
    answer.wasUnderWay
      ? text`Cancelled the replay to ${to}. ${answer.added} events were already queued and will be sent.`
      : text`No replay to ${to} is in progress.`,
  );
}
