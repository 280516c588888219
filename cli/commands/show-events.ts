import { follow } from '../../functions/operations/follow.ts';
import type { AnswerOf } from '../../functions/operations/protocol/answers.ts';
import type { RequestOf } from '../../functions/operations/protocol/requests.ts';
import type { Context } from '../context/context.ts';
import { pages } from '../context/pages.ts';
import { eventText } from '../show/events.ts';
import { MORE } from './list.ts';

export type EventQuery = Omit<RequestOf<'events'>, 'operation' | 'cursor' | 'limit' | 'order'>;
type Committed = AnswerOf<'events'>['events'][number];

/** Shows the newest events, newest last. */
export async function showNewest(context: Context, query: EventQuery, limit: number): Promise<void> {
  const { print } = context;
  const { found, isMore } = await tail(context, query, limit);
  if (found.length > 0) show(print, found);
  else if (!print.json) print.note('No matching events in the journal.');
  if (isMore) print.note(MORE);
}

async function tail({ ask }: Context, query: EventQuery, limit: number) {
  const found: Committed[] = [];
  let isMore = false;
  const question = (page: object) => ask({ operation: 'events', ...query, order: 'newest-first', ...page });
  for await (const page of pages(limit, question, countOf)) {
    found.push(...page.events);
    isMore = page.cursor !== undefined;
  }
  return { found: found.reverse(), isMore };
}

/** Shows the events since a time, or the newest ones, and then each new event once. */
export async function showFollowed(
  context: Context,
  query: Omit<EventQuery, 'until'>,
  limit: number,
): Promise<void> {
  const { ask, clock, sleep, interrupted, print } = context;
  const since = query.since ?? (limit === Number.POSITIVE_INFINITY ? EPOCH : undefined);
  const known = since === undefined ? await showTail(context, query, limit) : undefined;
  const from = { ...query, since: since ?? known?.since };
  for await (const committed of follow(from, { ask, clock, sleep, signal: interrupted }))
    if (!known?.ids.has(committed.event.id)) show(print, [committed]);
}

/** An event may become visible only after its commit time, so following starts earlier and skips shown events. */
const OVERLAP_MS = 120_000;

async function showTail(context: Context, query: EventQuery, limit: number) {
  const { ask, print } = context;
  const { at } = await ask({ operation: 'events', limit: 1, since: EPOCH, until: EPOCH });
  const since = new Date(Date.parse(at) - OVERLAP_MS).toISOString();
  // In the other order, an event between the two requests would count as shown without having been shown.
  const recent = await tail(context, { ...query, since }, Number.POSITIVE_INFINITY);
  const { found } = await tail(context, query, limit);
  if (found.length > 0) show(print, found);
  return { since, ids: new Set([...recent.found, ...found].map(({ event }) => event.id)) };
}

const EPOCH = new Date(0).toISOString();

/** Shows all events of a query, oldest first, page by page. */
export async function showAll({ ask, print }: Context, query: EventQuery): Promise<void> {
  const question = (page: object) => ask({ operation: 'events', ...query, order: 'oldest-first', ...page });
  for await (const page of pages(Number.POSITIVE_INFINITY, question, countOf))
    if (page.events.length > 0) show(print, page.events);
}

const countOf = ({ events }: AnswerOf<'events'>) => events.length;

/** Shows events; as JSON, in the same form as `npx changewire start --json` and webhooks. */
function show({ answers }: Context['print'], found: readonly Committed[]): void {
  answers(
    found.map(({ event }) => event),
    display => found.map(one => eventText(one, display)).join('\n'),
  );
}
