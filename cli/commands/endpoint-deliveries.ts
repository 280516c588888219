import type { Command } from 'commander';
import type { Cli } from '../context/runner.ts';
import { limitOf } from '../options/parsers.ts';
import { attemptsTable, deadLettersTable } from '../show/deliveries.ts';
import { text } from '../show/display.ts';
import { examples } from './example.ts';
import { showList } from './list.ts';

interface AttemptOptions {
  readonly event?: string;
  readonly failed?: true;
  readonly limit: number;
}

/** The commands that list delivery attempts and dead letters of an endpoint. */
export function endpointDeliveryCommands(endpoints: Command, { run }: Cli): void {
  endpoints
    .command('attempts <name>')
    .description('list delivery attempts, newest first')
    .option('--event <id>', 'only attempts of this event')
    .option('--failed', 'only failed attempts')
    .option('--limit <n>', 'maximum number, or "all"', limitOf, 20)
    .addHelpText(
      'after',
      examples(
        'endpoints attempts crm --failed',
        'endpoints attempts crm --event launch.1001.1795262491734.0',
      ),
    )
    .action(
      run(({ ask, print }, endpoint: string, { event, failed, limit }: AttemptOptions) =>
        showList(print, {
          limit,
          ask: page =>
            ask({
              ...{ operation: 'attempts', endpoint },
              ...(event !== undefined && { eventId: event }),
              ...(failed && { failed }),
              ...page,
            }),
          itemsOf: ({ attempts }) => attempts,
          format: (all, display) =>
            all.length === 0
              ? text`${endpoint} has no ${failed ? 'failed ' : ''}delivery attempts that are kept.`
              : attemptsTable(all, display),
        }),
      ),
    );
  endpoints
    .command('dead-letters <name>')
    .description('list events that could not be delivered within 3 days, oldest first')
    .option('--limit <n>', 'maximum number, or "all"', limitOf, 20)
    .addHelpText('after', examples('endpoints dead-letters crm'))
    .action(
      run(({ ask, print }, endpoint: string, { limit }: { limit: number }) =>
        showList(print, {
          limit,
          ask: page => ask({ operation: 'dead-letters', endpoint, ...page }),
          itemsOf: ({ deadLetters }) => deadLetters,
          format: (all, display) =>
            all.length === 0 ? text`${endpoint} has no dead letters.` : deadLettersTable(all, display),
        }),
      ),
    );
}
