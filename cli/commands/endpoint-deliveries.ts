import type { Command } from 'commander';
import type { Cli } from '../context/runner.ts';
import { limitOf } from '../options/parsers.ts';
import { attemptsTable, deadLettersTable } from '../show/deliveries.ts';
import { text } from '../show/paper.ts';
import { examples } from './example.ts';
import { showList } from './list.ts';

/** The commands for what was sent to an endpoint, and for what it did not get. */
export function endpointDeliveryCommands(endpoints: Command, { run }: Cli): void {
  endpoints
    .command('attempts <name>')
    .description('the requests that were sent to it in the last 7 days, the newest first')
    .option('--event <id>', 'those with this event')
    .option('--limit <n>', 'so many at most, or all', limitOf, 20)
    .addHelpText(
      'after',
      examples('endpoints attempts crm', 'endpoints attempts crm --event launch.1001.1795262491734.0'),
    )
    .action(
      run(({ ask, print }, endpoint: string, { event, limit }: { event?: string; limit: number }) =>
        showList(print, {
          limit,
          ask: page =>
            ask({ operation: 'attempts', endpoint, ...(event !== undefined && { eventId: event }), ...page }),
          itemsOf: ({ attempts }) => attempts,
          words: (all, paper) =>
            all.length === 0 ? text`${endpoint}: no attempt in the last 7 days.` : attemptsTable(all, paper),
        }),
      ),
    );
  endpoints
    .command('dead-letters <name>')
    .description('what it never got in 3 days, the oldest first; resend --dead sends it again')
    .option('--limit <n>', 'so many at most, or all', limitOf, 20)
    .addHelpText('after', examples('endpoints dead-letters crm'))
    .action(
      run(({ ask, print }, endpoint: string, { limit }: { limit: number }) =>
        showList(print, {
          limit,
          ask: page => ask({ operation: 'dead-letters', endpoint, ...page }),
          itemsOf: ({ deadLetters }) => deadLetters,
          words: (all, paper) =>
            all.length === 0 ? text`${endpoint}: no dead letter.` : deadLettersTable(all, paper),
        }),
      ),
    );
}
