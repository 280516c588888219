import { Argument, type Command, Option } from 'commander';
import {
  FAILED_QUEUES,
  type FailedQueueName,
  FUNCTIONS,
  type FunctionName,
} from '../../functions/operations/protocol/requests.ts';
import { type Consent, confirmed } from '../context/confirm.ts';
import type { Cli } from '../context/runner.ts';
import { limitOf, timeOf } from '../options/parsers.ts';
import { text } from '../show/display.ts';
import { failedMessagesText, logsText } from '../show/stack.ts';
import { examples } from './example.ts';
import { showList } from './list.ts';

interface LogOptions {
  readonly since: string;
  readonly until?: string;
  readonly all?: boolean;
  readonly limit: number;
}

export function logsCommand(program: Command, { run, world }: Cli): void {
  const time = timeOf(world.clock);
  program
    .command('logs')
    .description('show warnings, errors and killed runs in the log of a function (AWS)')
    .addArgument(new Argument('<function>', 'name of the function').choices(FUNCTIONS))
    .addOption(
      new Option('--since <time>', 'a time, a date, or an age such as 30m, 2h, 3d')
        .argParser(time)
        .default(time('1h'), '1h'),
    )
    .option('--until <time>', 'end time', time)
    .option('--all', 'show all log lines')
    .option('--limit <n>', 'maximum number, or "all"', limitOf, 50)
    .addHelpText('after', examples('logs deliver --since 2h --stack Changewire --region eu-central-1'))
    .action(
      run(({ ask, print }, name: FunctionName, { limit, ...options }: LogOptions) =>
        showList(print, {
          limit,
          ask: page => ask({ operation: 'logs', function: name, ...options, ...page }),
          itemsOf: ({ entries }) => entries,
          format: (all, display) =>
            all.length === 0 ? `${name} has no log entries in this time range.` : logsText(all, display),
        }),
      ),
    );
}

export function failedMessageCommands(program: Command, { run }: Cli): void {
  const failed = program
    .command('failed-messages')
    .description('manage messages that failed and need attention (AWS)')
    .helpCommand(false);
  failed
    .command('list')
    .description('list some failed messages of one queue, or of all')
    .addArgument(new Argument('[queue]', 'name of the queue').choices(FAILED_QUEUES))
    .addHelpText(
      'after',
      examples(
        'failed-messages list --stack Changewire --region eu-central-1',
        'failed-messages list rejected --stack Changewire --region eu-central-1',
      ),
    )
    .action(
      run(async ({ ask, print }, asked: FailedQueueName | undefined) => {
        for (const queue of asked ? [asked] : FAILED_QUEUES) {
          const found = await ask({ operation: 'failed-messages', queue });
          print.answer(found, display => failedMessagesText(found, display));
        }
      }),
    );
  failed
    .command('clear')
    .description('delete all failed messages of a queue')
    .addArgument(new Argument('<queue>', 'name of the queue').choices(FAILED_QUEUES))
    .option('--yes', 'skip the confirmation')
    .option('--dry-run', 'only show the number of messages')
    .addHelpText(
      'after',
      examples('failed-messages clear rejected --dry-run --stack Changewire --region eu-central-1'),
    )
    .action(
      run((context, queue: FailedQueueName, consent: Consent) =>
        confirmed(context, { operation: 'clear-failed-messages', queue }, consent, ({ messages, dryRun }) =>
          dryRun
            ? text`Would delete about ${messages} messages from ${queue}.`
            : text`Deleting about ${messages} messages from ${queue}.`,
        ),
      ),
    );
  failed
    .command('retry')
    .description('retry the messages in "unsettled"')
    .option('--yes', 'skip the confirmation')
    .option('--dry-run', 'only show the number of messages')
    .addHelpText('after', examples('failed-messages retry --yes --stack Changewire --region eu-central-1'))
    .action(
      run((context, consent: Consent) =>
        confirmed(context, { operation: 'retry-failed-messages' }, consent, ({ messages, left, dryRun }) =>
          dryRun
            ? text`Would retry about ${messages} messages.`
            : text`Retrying ${messages} messages.${left > 0 ? ` About ${left} remain; run this command again.` : ''}`,
        ),
      ),
    );
}
