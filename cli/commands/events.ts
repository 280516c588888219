import type { Command } from 'commander';
import { UsageError } from '../../local/basics/usage-error.ts';
import type { Cli } from '../context/runner.ts';
import { limitOf, timeOf, typesOf } from '../options/parsers.ts';
import { traceText } from '../show/events.ts';
import { examples } from './example.ts';
import { type EventQuery, showAll, showFollowed, showNewest } from './show-events.ts';

interface Options extends EventQuery {
  readonly type?: string[];
  readonly limit: number;
  readonly follow?: boolean;
}
export function eventCommands(program: Command, { run, world }: Cli): void {
  const time = timeOf(world.clock);
  program
    .command('events')
    .description('list changes in the journal, newest last')
    .option('--follow', 'continue with new events until Ctrl-C')
    .option('--process <id>', 'only this process')
    .option('--workspace <name>', 'only this workspace')
    .option('--project <id>', 'only this project')
    .option('--task <id>', 'only this task')
    .option('--type <types>', 'only these event types, comma-separated', typesOf)
    .option('--field <field>', 'only changes of this field, by id or display name')
    .option('--actor <user>', 'only changes by this user, by id or name (if known)')
    .option('--search <words>', 'only events that contain all these words, in any case')
    .option('--since <time>', 'a time, a date, or an age such as 30m, 2h, 3d', time)
    .option('--until <time>', 'end time', time)
    .option('--limit <n>', 'maximum number, or "all"', limitOf, 20)
    .addHelpText(
      'after',
      examples(
        'events --process launch --since 2h',
        'events --type task.updated --field dueDate --limit all --json',
        'events --search blockers --since 7d',
        'events --follow --project 1001',
      ),
    )
    .action(
      run(async (context, { type, limit, follow, ...given }: Options) => {
        const query = { ...given, ...(type && { types: type }) };
        if (!follow)
          return limit === Number.POSITIVE_INFINITY
            ? showAll(context, query)
            : showNewest(context, query, limit);
        const { until, ...followed } = query;
        if (until !== undefined) throw new UsageError('--follow cannot be combined with --until.');
        return showFollowed(context, followed, limit);
      }),
    );
  program
    .command('trace <event-id>')
    .description('trace one event: when it was stored and every delivery attempt')
    .addHelpText('after', examples('trace launch.1001.1795262491734.0'))
    .action(
      run(async ({ ask, print }, eventId: string) => {
        const trace = await ask({ operation: 'trace', eventId });
        print.answer(trace, display => traceText(trace, display));
      }),
    );
}
