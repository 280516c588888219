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
    .description('what changed in the last 30 days: the newest events, the last one below')
    .option('--follow', 'go on with those that come, until Ctrl-C')
    .option('--process <id>', 'of this process')
    .option('--workspace <name>', 'of this workspace')
    .option('--project <id>', 'of this project')
    .option('--task <id>', 'of this task')
    .option('--type <types>', 'of these types, with commas between', typesOf)
    .option('--field <field>', 'that change this field: its id, or the name that people see')
    .option('--actor <user>', 'that this user made, where that is known: the id, or the name')
    .option('--search <words>', 'with each of these words in a name, id, value or actor, in any case')
    .option('--since <time>', 'committed then or later: a time, a date, or 30m, 2h, 3d ago', time)
    .option('--until <time>', 'committed before', time)
    .option('--limit <n>', 'so many at most, or all', limitOf, 20)
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
        if (until !== undefined) throw new UsageError('--follow goes on: it takes no --until.');
        return showFollowed(context, followed, limit);
      }),
    );
  program
    .command('trace <event-id>')
    .description('the way of one event: committed, published, and each attempt at each endpoint')
    .addHelpText('after', examples('trace launch.1001.1795262491734.0'))
    .action(
      run(async ({ ask, print }, eventId: string) => {
        const trace = await ask({ operation: 'trace', eventId });
        print.answer(trace, paper => traceText(trace, paper));
      }),
    );
}
