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
import { text } from '../show/paper.ts';
import { failedMessagesText, logsText } from '../show/stack.ts';
import { examples } from './example.ts';
import { showList } from './list.ts';

interface LogOptions {
  readonly since: string;
  readonly until?: string;
  readonly all?: boolean;
  readonly limit: number;
}

/** The command for what only a stack on AWS has. */
export function logsCommand(program: Command, { run, world }: Cli): void {
  const time = timeOf(world.clock);
  program
    .command('logs')
    .description('what a function of a stack logged: warnings, errors, runs that were killed (AWS)')
    .addArgument(new Argument('<function>', 'the function').choices(FUNCTIONS))
    .addOption(
      new Option('--since <time>', 'from when: a time, a date, or 30m, 2h, 3d ago')
        .argParser(time)
        .default(time('1h'), '1h'),
    )
    .option('--until <time>', 'until when', time)
    .option('--all', 'every line')
    .option('--limit <n>', 'so many at most, or all', limitOf, 50)
    .addHelpText('after', examples('logs deliver --since 2h --stack Changewire --region eu-central-1'))
    .action(
      run(({ ask, print }, name: FunctionName, { limit, ...options }: LogOptions) =>
        showList(print, {
          limit,
          ask: page => ask({ operation: 'logs', function: name, ...options, ...page }),
          itemsOf: ({ entries }) => entries,
          words: (all, paper) => (all.length === 0 ? `${name}: nothing since then.` : logsText(all, paper)),
        }),
      ),
    );
}

export function failedMessageCommands(program: Command, { run }: Cli): void {
  const aside = program
    .command('failed-messages')
    .description('what could not go its way, and waits for somebody (AWS)')
    .helpCommand(false);
  aside
    .command('list')
    .description('some of what lies there, or in one of the queues; it stays')
    .addArgument(new Argument('[queue]', 'which').choices(FAILED_QUEUES))
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
          print.answer(found, paper => failedMessagesText(found, paper));
        }
      }),
    );
  aside
    .command('clear')
    .description('throw away what lies there, once it is repaired')
    .addArgument(new Argument('<queue>', 'which').choices(FAILED_QUEUES))
    .option('--yes', 'without asking')
    .option('--dry-run', 'say how many, and do nothing')
    .addHelpText(
      'after',
      examples('failed-messages clear rejected --dry-run --stack Changewire --region eu-central-1'),
    )
    .action(
      run((context, queue: FailedQueueName, consent: Consent) =>
        confirmed(context, { operation: 'clear-failed-messages', queue }, consent, ({ messages, dryRun }) =>
          dryRun
            ? text`${queue}: about ${messages} messages would be thrown away.`
            : text`${queue}: about ${messages} messages are thrown away.`,
        ),
      ),
    );
  aside
    .command('retry')
    .description('have what no run could settle tried once more')
    .option('--yes', 'without asking')
    .option('--dry-run', 'say how many, and do nothing')
    .addHelpText('after', examples('failed-messages retry --yes --stack Changewire --region eu-central-1'))
    .action(
      run((context, consent: Consent) =>
        confirmed(context, { operation: 'retry-failed-messages' }, consent, ({ messages, left, dryRun }) =>
          dryRun
            ? text`About ${messages} messages would be tried once more.`
            : text`${messages} messages are tried once more${left > 0 ? `; about ${left} are left: repeat this command` : ''}.`,
        ),
      ),
    );
}
