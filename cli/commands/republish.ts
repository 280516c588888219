import type { Command } from 'commander';
import type { AnswerOf } from '../../functions/operations/protocol/answers.ts';
import type { RequestOf } from '../../functions/operations/protocol/requests.ts';
import { type Consent, confirmed } from '../context/confirm.ts';
import type { Context } from '../context/context.ts';
import type { Cli } from '../context/runner.ts';
import { listOf, timeOf } from '../options/parsers.ts';
import { text } from '../show/display.ts';
import { examples } from './example.ts';

interface Options extends Consent {
  readonly since: string;
  readonly until: string;
  readonly process?: string[];
}

export function republishCommand(program: Command, { run, world }: Cli): void {
  const time = timeOf(world.clock);
  program
    .command('republish')
    .description('republish all events of a time range to every subscriber, with the same ids (AWS)')
    .requiredOption('--since <time>', 'a time, a date, or an age such as 30m, 2h, 3d', time)
    .requiredOption('--until <time>', 'end time', time)
    .option('--process <ids>', 'only these processes, comma-separated ids', listOf)
    .option('--yes', 'skip the confirmation')
    .option('--dry-run', 'only show the number of events')
    .addHelpText(
      'after',
      examples('republish --since 2h --until 1h --dry-run --stack Changewire --region eu-central-1'),
    )
    .action(
      run((context, { since, until, process, ...consent }: Options) => {
        const request = {
          operation: 'republish',
          since,
          until,
          ...(process && { processes: process }),
        } as const;
        const whole = { ...context, ask: inSlices(context) };
        return confirmed(whole, request, consent, ({ events, records, dryRun }) =>
          dryRun
            ? text`Would republish ${events} events of ${records} change records to every subscriber.`
            : text`Republished ${events} events of ${records} change records to every subscriber.`,
        );
      }),
    );
}

/** Sends one request for each slice and returns the total. Prints the progress, so that an interrupted
 *  command can be continued from there. */
function inSlices({ ask, print }: Context): Context['ask'] {
  const whole = async (request: RequestOf<'republish'>): Promise<AnswerOf<'republish'>> => {
    const total = { events: 0, records: 0 };
    for (let cursor: string | undefined; ; ) {
      const { cursor: next, ...slice } = await ask({ ...request, ...(cursor !== undefined && { cursor }) });
      total.events += slice.events;
      total.records += slice.records;
      if (next === undefined) return { ...slice, ...total };
      cursor = next;
      if (!slice.dryRun)
        print.note(
          text`${total.events} events so far, up to ${slice.readTo ?? 'the beginning'} of ${slice.process ?? 'all processes'}`,
        );
    }
  };
  return whole as Context['ask'];
}
