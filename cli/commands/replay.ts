import type { Command } from 'commander';
import { UsageError } from '../../local/basics/usage-error.ts';
import { type Consent, confirmed } from '../context/confirm.ts';
import type { Cli } from '../context/runner.ts';
import { listOf, timeOf, typesOf } from '../options/parsers.ts';
import { countText } from '../show/endpoints.ts';
import { text } from '../show/paper.ts';
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
    .description('send one endpoint all events of a time once more, through its filter')
    .requiredOption('--to <name>', 'the endpoint')
    .option('--since <time>', 'from when: a time, a date, or 30m, 2h, 3d ago', time)
    .option('--until <time>', 'until when (else now)', time)
    .option('--type <types>', 'only of these types, with commas between', typesOf)
    .option('--process <ids>', 'only of these processes, with commas between', listOf)
    .option('--cancel', 'add nothing more of the replay under way')
    .option('--yes', 'without asking')
    .option('--dry-run', 'say how many events it would get, and do nothing')
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
          throw new UsageError('replay takes --since TIME, such as --since 2h, or --cancel.');
        const request = {
          ...({ operation: 'replay', to, since } as const),
          ...(until !== undefined && { until }),
          ...(type && { types: type }),
          ...(process && { processes: process }),
        };
        await confirmed(context, request, consent, answer => {
          const stretch = `${answer.since} to ${answer.until}`;
          const events = answer.events ? countText(answer.events) || 'no' : 'the';
          return answer.dryRun
            ? text`${to} would get ${events} events of ${stretch} once more.`
            : text`${to}: gets ${events} events of ${stretch} once more, through its filter. npx changewire status shows how far it is.`;
        });
      }),
    );
}

async function cancelled(
  { ask, print }: Parameters<typeof confirmed>[0],
  to: string,
  beside: object,
): Promise<void> {
  if (Object.values(beside).some(value => value !== undefined))
    throw new UsageError('--cancel goes with --to alone.');
  const answer = await ask({ operation: 'cancel-replay', to });
  print.answer(answer, () =>
    answer.wasUnderWay
      ? text`${to}: cancelled; the ${answer.added} events that were added are sent all the same.`
      : text`${to}: no replay was under way.`,
  );
}
