import type { Command } from 'commander';
import { follow } from '../../functions/operations/follow.ts';
import type { AnswerOf } from '../../functions/operations/protocol/answers.ts';
import type { RequestOf } from '../../functions/operations/protocol/requests.ts';
import { UsageError } from '../../local/cli/usage-error.ts';
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
      run(async (context, { type, ...options }: Options) => {
        const { limit, follow: _, ...query } = options;
        const asked = { ...query, ...(type && { types: type }) };
        if (options.follow) await followed(context, asked, options);
        else if (limit === Number.POSITIVE_INFINITY) await all(context, asked);
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
async function newest(context: Context, query: Query, limit: number): Promise<void> {
  const { print } = context;
  const { found, isMore } = await tail(context, query, limit);
  if (found.length > 0) show(print, found);
  else if (!print.json) print.note('No event of the last 30 days is so.');
  if (isMore) print.note(MORE);
}

async function tail({ ask }: Context, query: Query, limit: number) {
  const found: Committed[] = [];
  let isMore = false;
  const question = (page: object) => ask({ operation: 'events', ...query, order: 'newest-first', ...page });
  for await (const page of pages(limit, question, countOf)) {
    found.push(...page.events);
    isMore = page.cursor !== undefined;
  }
  return { found: found.reverse(), isMore };
}

/** Those of a time from its beginning, or else the newest; then each that comes, once. */
async function followed(
  context: Context,
  { until, ...query }: Query,
  { limit, since }: Options,
): Promise<void> {
  if (until !== undefined) throw new UsageError('--follow goes on: it takes no --until.');
  const { ask, clock, sleep, interrupted, print } = context;
  const known = since === undefined ? await shownBefore(context, query, limit) : undefined;
  const from = { ...query, ...(known && { since: known.since }) };
  for await (const committed of follow(from, { ask, clock, sleep, signal: interrupted }))
    if (!known?.ids.has(committed.event.id)) show(print, [committed]);
}

/** One that was committed by then may be seen only later: so following begins some time back, without what is known. */
const BACK_MS = 120_000;

async function shownBefore(context: Context, query: Query, limit: number) {
  const { ask, print } = context;
  const { at } = await ask({ operation: 'events', limit: 1, since: EPOCH, until: EPOCH });
  const since = new Date(Date.parse(at) - BACK_MS).toISOString();
  // In this order: what comes in between is in neither list, or in the second.
  const recent = await tail(context, { ...query, since }, Number.POSITIVE_INFINITY);
  const { found } = await tail(context, query, limit);
  if (found.length > 0) show(print, found);
  return { since, ids: new Set([...recent.found, ...found].map(({ event }) => event.id)) };
}

const EPOCH = new Date(0).toISOString();

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
