import type { Command } from 'commander';
import type { AnswerOf } from '../../functions/operations/protocol/answers.ts';
import type { RequestOf } from '../../functions/operations/protocol/requests.ts';
import type { Context } from '../context.ts';
import { limitOf, timeOf, typesOf } from '../options/parsers.ts';
import { pages } from '../pages.ts';
import { eventText, traceText } from '../show/events.ts';
import type { Cli } from './commands.ts';
import { examples } from './example.ts';
import { MORE } from './list.ts';

type Query = Omit<RequestOf<'events'>, 'operation' | 'types' | 'cursor' | 'limit' | 'order'>;
interface Options extends Query {
  readonly type?: string[];
  readonly limit: number;
  readonly follow?: boolean;
}
type Committed = AnswerOf<'events'>['events'][number];

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
    .option('--since <time>', 'committed then or later: a time, a date, or 30m, 2h, 3d ago', time)
    .option('--until <time>', 'committed before', time)
    .option('--limit <n>', 'so many at most, or all', limitOf, 20)
    .addHelpText(
      'after',
      examples(
        'events --process launch --since 2h',
        'events --type task.updated --field dueDate --limit all --json',
        'events --follow --project 1001',
      ),
    )
    .action(
      run(async (context, { type, limit, follow, ...query }: Options) => {
        const asked = { ...query, ...(type && { types: type }) };
        if (limit === Number.POSITIVE_INFINITY && !follow) await all(context, asked);
        else await newest(context, asked, limit);
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

/** The newest, the last one below. */
async function newest({ ask, print }: Context, query: Query, limit: number): Promise<void> {
  const found: Committed[] = [];
  let isMore = false;
  const question = (page: object) => ask({ operation: 'events', ...query, order: 'newest-first', ...page });
  for await (const page of pages(limit, question, countOf)) {
    found.push(...page.events);
    isMore = page.cursor !== undefined;
  }
  if (found.length > 0) show(print, found.reverse());
  else if (!print.json) print.note('No event of the last 30 days is so.');
  if (isMore) print.note(MORE);
}

/** Those of a whole journal may be many: each page is shown as it comes, the oldest first. */
async function all({ ask, print }: Context, query: Query): Promise<void> {
  const question = (page: object) => ask({ operation: 'events', ...query, order: 'oldest-first', ...page });
  for await (const page of pages(Number.POSITIVE_INFINITY, question, countOf))
    if (page.events.length > 0) show(print, page.events);
}

const countOf = ({ events }: AnswerOf<'events'>) => events.length;

/** To programs the events themselves, as `npm start --json` and webhooks tell them. */
function show({ answers }: Context['print'], found: readonly Committed[]): void {
  answers(
    found.map(({ event }) => event),
    paper => found.map(one => eventText(one, paper)).join('\n'),
  );
}
