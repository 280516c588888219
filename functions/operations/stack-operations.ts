import * as z from 'zod';
import { acted, type LogPage, type OperationOf, type OperationsContext, type StackPorts } from './context.ts';
import { cursorTo, DEFAULT_LIMIT, iso, readCursor } from './page.ts';
import { findConfigured, inOrder, sortKeyOf } from './processes.ts';
import { Refused, wrongRequest } from './refused.ts';

/** @throws Refused without a stack; `instead` names the alternative */
function stackOf({ stack }: OperationsContext, instead: string): StackPorts {
  if (stack) return stack;
  throw new Refused(`Only available for AWS stacks: ${instead}.`);
}

/** How many pages are requested until one has entries: CloudWatch searches a stretch in parts, and returns an
 *  empty page for each part without a match. */
const MAX_LOG_PAGES = 20;
const logPosition = z.tuple([z.number(), z.string()]);

/** A page of a function's log. */
export const readLogs: OperationOf<'logs'> = async (context, asked) => {
  const { readLog } = stackOf(
    context,
    'a local run writes its log to its output, and service managers keep that',
  );
  const { function: name, since, until, all = false, limit = DEFAULT_LIMIT, cursor } = asked;
  // The end is fixed with the first page: otherwise new entries would delay the last page without end.
  const begun = readCursor('logs', cursor, logPosition);
  const [end, position] = begun ?? [until === undefined ? context.clock() : Date.parse(until), undefined];
  const stretch = { function: name, since: Date.parse(since), until: end, all };
  let page: LogPage = { entries: [], position };
  for (let pages = 0; pages < MAX_LOG_PAGES; pages += 1) {
    page = await readLog({ ...stretch, position: page.position }, limit);
    if (page.entries.length > 0 || page.position === undefined) break;
  }
  const next = page.position === undefined ? undefined : [end, page.position];
  return { function: name, entries: [...page.entries], ...cursorTo('logs', next) };
};

const queuesOf = (context: OperationsContext) =>
  stackOf(context, 'a local run has no such queues; see the dead letters of each endpoint');

/** The number of messages of a dead-letter queue, and the first of them. They stay in it. */
export const listFailedMessages: OperationOf<'failed-messages'> = async (context, { queue }) => {
  const { failedQueues } = queuesOf(context);
  const messages = await failedQueues[queue].count();
  const first = await failedQueues[queue].peek();
  // SQS's count is delayed.
  return { queue, messages: Math.max(messages, first.length), first };
};

/** Deletes the messages of a dead-letter queue. */
export const clearFailedMessages: OperationOf<'clear-failed-messages'> = async (
  context,
  { queue, dryRun = false },
) => {
  const { failedQueues } = queuesOf(context);
  const messages = await failedQueues[queue].count();
  const answer = { queue, messages, dryRun };
  if (dryRun) return { answer };
  await failedQueues[queue].clear();
  return acted({ stack: true }, answer, [`${queue}: about ${messages} messages`]);
};

/** Sends messages that no run could process back to their queues. */
export const retryFailedMessages: OperationOf<'retry-failed-messages'> = async (
  context,
  { dryRun = false },
) => {
  const { failedQueues, retryUnsettled } = queuesOf(context);
  if (dryRun) {
    const messages = await failedQueues.unsettled.count();
    return { answer: { messages, left: messages, dryRun } };
  }
  const messages = await retryUnsettled();
  const answer = { messages, left: await failedQueues.unsettled.count(), dryRun };
  return acted({ stack: true }, answer, [`${messages} messages`]);
};

/** The place of a process, and the key of its last record that was published; empty at its beginning. */
const publishedUpTo = z.tuple([z.string(), z.string()]);

/** Publishes the next slice of the change records of a time range again, each process's in commit order.
 *  If a crash interrupts it, the same cursor repeats the slice, under the same ids.
 *  @throws Refused for an unknown process, and when nothing of the slice was published */
export const republish: OperationOf<'republish'> = async (context, asked) => {
  const { changeRecords, publish } = stackOf(
    context,
    'use a replay to send a time range to one endpoint again',
  );
  const { dryRun = false, processes } = asked;
  const [since, until] = [Date.parse(asked.since), Date.parse(asked.until)];
  if (since >= until) throw wrongRequest('Invalid time range: since must be before until.');
  const [begun = '', reached = ''] = readCursor('republish', asked.cursor, publishedUpTo) ?? [];
  for (const each of processes ?? []) await findConfigured(context, { process: each });
  const [process, next] = inOrder(await context.processes()).filter(
    each => sortKeyOf(each) >= begun && (processes?.includes(each.processId) ?? true),
  );
  if (!process) return { answer: { events: 0, records: 0, dryRun } };
  const after = sortKeyOf(process) === begun && reached !== '' ? reached : undefined;
  const { records, isLast } = await changeRecords.read(process, { since, until, after });
  const [first] = records;
  const done = dryRun || !first ? records : records.slice(0, await publish(records));
  if (first && done.length === 0)
    throw new Refused(
      `SNS rejected the events that process ${process.processId} committed at ${iso(first.at)}: ` +
        'see the log of the publish function. Earlier events were published; continue with --since.',
    );
  const last = done.at(-1);
  const isOver = isLast && done.length === records.length;
  const following = isOver ? next && [sortKeyOf(next), ''] : [sortKeyOf(process), last?.sk ?? after];
  const answer = {
    events: done.reduce((sum, { events }) => sum + events, 0),
    records: done.length,
    process: process.processId,
    ...(last && { readTo: iso(last.at) }),
    ...cursorTo('republish', following),
    dryRun,
  };
  if (dryRun || done.length === 0) return { answer };
  const { workspace, processId } = process;
  return acted({ process: { workspace, processId } }, answer, [
    `${answer.events} events`,
    `since ${asked.since}`,
    `until ${answer.readTo ?? asked.until}`,
  ]);
};
