import { describe, expect, test } from 'vitest';
import type { LogPage, OperationsContext, StackPorts } from '../../functions/operations/context.ts';
import { createOperations } from '../../functions/operations/operations.ts';
import { type AnswerOf, answers } from '../../functions/operations/protocol/answers.ts';
import type { Request } from '../../functions/operations/protocol/requests.ts';
import type { ChangeRecord } from '../../functions/store/store.ts';
import { AT, openContext, PROCESSES, STORES } from '../kit/operations/context.ts';

const ann = { who: 'ann', isProven: true };
const [[, open]] = STORES;

function stackOf(over: Partial<StackPorts> = {}) {
  const cleared: string[] = [];
  const queue = (name: string, count: number) => ({
    count: async () => count,
    peek: async () => [{ at: '2026-01-01T00:00:00.000Z', about: { queue: name } }],
    clear: async () => void cleared.push(name),
  });
  const stack: StackPorts = {
    readLog: async () => ({ entries: [], position: undefined }),
    failedQueues: {
      rejected: queue('rejected', 3),
      unpublished: queue('unpublished', 0),
      unstarted: queue('unstarted', 1),
      unsettled: queue('unsettled', 7),
    },
    retryUnsettled: async () => 5,
    changeRecords: { read: async () => ({ records: [], isLast: true }) },
    publish: async records => records.length,
    ...over,
  };
  const context = { ...openContext(open), stack } as OperationsContext;
  const operations = createOperations(context);
  const ask = async (asked: Request) => {
    const answer = await operations(asked, ann);
    expect(() => answers[asked.operation].parse(JSON.parse(JSON.stringify(answer)))).not.toThrow();
    return answer as never;
  };
  return { ask, cleared };
}

const logs: Request = { operation: 'logs', function: 'poll', since: '2026-11-21T00:00:00Z' };
const republish = {
  operation: 'republish',
  since: '2026-11-21T00:00:00Z',
  until: '2026-11-21T10:00:00Z',
} as const;

describe('what only a stack has', () => {
  test.each<Request>([
    logs,
    { operation: 'failed-messages', queue: 'rejected' },
    { operation: 'clear-failed-messages', queue: 'rejected' },
    { operation: 'retry-failed-messages' },
    republish,
  ])('is refused on one machine, which says what there is instead: $operation', async asked => {
    const operations = createOperations(openContext(open) as OperationsContext);
    await expect(operations(asked, ann)).rejects.toThrow(/^Only available for AWS stacks: /);
  });
});

describe('logs', () => {
  const entry = { at: '2026-11-21T01:00:00.000Z', level: 'warn', message: 'x', details: {} } as const;

  test('are looked through until something is found, or the end', async () => {
    const pages: LogPage[] = [
      { entries: [], position: 'a' },
      { entries: [], position: 'b' },
      { entries: [entry], position: 'c' },
    ];
    const read: unknown[] = [];
    const { ask } = stackOf({
      readLog: async (stretch, limit) => {
        read.push([stretch.position, stretch.since, stretch.until, limit]);
        return pages.shift() ?? { entries: [], position: undefined };
      },
    });
    const first = await ask({ ...logs, limit: 9 });
    expect(first).toMatchObject({ entries: [entry] });
    const { cursor } = first as { cursor: string };
    expect(await ask({ ...logs, cursor })).toEqual({ function: 'poll', entries: [] });
    const since = Date.parse('2026-11-21T00:00:00Z');
    // The second page ends where the first one would have: what is logged meanwhile is another request's.
    expect(read).toEqual([
      [undefined, since, AT, 9],
      ['a', since, AT, 9],
      ['b', since, AT, 9],
      ['c', since, AT, 50],
    ]);
  });

  test('give a page that is empty and not the last, where looking takes too long', async () => {
    const { ask } = stackOf({ readLog: async () => ({ entries: [], position: 'on' }) });
    expect(await ask(logs)).toMatchObject({ entries: [], cursor: expect.any(String) });
  });

  test('take no cursor of another request', async () => {
    const { ask } = stackOf();
    await expect(ask({ ...logs, cursor: 'x' })).rejects.toThrow(/cursor/);
  });
});

describe('what was set aside', () => {
  test('is counted and shown', async () => {
    const { ask } = stackOf();
    const unsettled = await ask({ operation: 'failed-messages', queue: 'unsettled' });
    expect(unsettled).toMatchObject({ messages: 7, first: [{}] });
    // SQS counts late: what is shown is there.
    expect(await ask({ operation: 'failed-messages', queue: 'unpublished' })).toMatchObject({ messages: 1 });
  });

  test('is cleared and retried, which is an action of the caller, and not in a dry run', async () => {
    const { ask, cleared } = stackOf();
    const clearing = { operation: 'clear-failed-messages', queue: 'rejected' } as const;
    const retrying = { operation: 'retry-failed-messages' } as const;
    expect([await ask({ ...clearing, dryRun: true }), await ask({ ...retrying, dryRun: true })]).toEqual([
      { queue: 'rejected', messages: 3, dryRun: true },
      { messages: 7, left: 7, dryRun: true },
    ]);
    expect([cleared, await ask({ operation: 'actions' })]).toEqual([[], { actions: [] }]);
    expect([await ask(clearing), await ask(retrying)]).toEqual([
      { queue: 'rejected', messages: 3, dryRun: false },
      { messages: 5, left: 7, dryRun: false },
    ]);
    expect(cleared).toEqual(['rejected']);
    const { actions } = (await ask({ operation: 'actions' })) as AnswerOf<'actions'>;
    const at = '2026-11-21T12:00:00.000Z';
    expect(actions.toSorted((one, other) => (one.operation < other.operation ? -1 : 1))).toEqual([
      { at, ...ann, operation: 'clear-failed-messages', details: 'rejected: about 3 messages' },
      { at, ...ann, operation: 'retry-failed-messages', details: '5 messages' },
    ]);
    expect(await ask({ operation: 'actions', process: 'sales' })).toEqual({ actions: [] });
  });
});

describe('publishing a time once more', () => {
  /** Each process has so many records, two of which are read at once. */
  function journal(count: number, take = (records: readonly ChangeRecord[]) => records.length) {
    const published: string[] = [];
    const { ask } = stackOf({
      changeRecords: {
        read: async ({ processId }, { since, after }) => {
          const all = Array.from({ length: count }, (_, n) => ({
            ...{ pk: processId, sk: `CHANGE#${n}`, at: since + n, encoded: Buffer.of(), events: 2 },
          }));
          const left = all.filter(({ sk }) => after === undefined || sk > after);
          return { records: left.slice(0, 2), isLast: left.length <= 2 };
        },
      },
      publish: async records => {
        const taken = take(records);
        published.push(...records.slice(0, taken).map(({ pk, sk }) => `${pk} ${sk}`));
        return taken;
      },
    });
    const all = async (asked: object = {}) => {
      const slices: { events: number; cursor?: string }[] = [];
      do {
        const { cursor } = slices.at(-1) ?? {};
        slices.push(await ask({ ...republish, ...asked, ...(cursor && { cursor }) }));
      } while (slices.at(-1)?.cursor !== undefined);
      return slices;
    };
    return { ask, all, published };
  }
  const whole = (count: number) =>
    PROCESSES.flatMap(({ processId }) => Array.from({ length: count }, (_, n) => `${processId} CHANGE#${n}`));

  test.each([0, 1, 2, 5])('goes through every process in order, slice by slice: %d records', async count => {
    const { all, published } = journal(count);
    const slices = await all();
    expect(published).toEqual(whole(count));
    expect(slices.reduce((sum, { events }) => sum + events, 0)).toBe(4 * count);
  });

  test('goes on behind what was published of a slice, when SNS took only some', async () => {
    const { all, published } = journal(5, () => 1);
    await all();
    expect(published).toEqual(whole(5));
  });

  test('publishes nothing in a dry run, and counts all', async () => {
    const { all, published } = journal(5);
    const slices = await all({ dryRun: true });
    expect(published).toEqual([]);
    expect(slices.reduce((sum, { events }) => sum + events, 0)).toBe(20);
  });

  test('is of the processes that are named', async () => {
    const { all, published } = journal(1);
    await all({ processes: ['sales'] });
    expect(published).toEqual(['sales CHANGE#0']);
    await expect(all({ processes: ['sales', 'nobody'] })).rejects.toThrow(/There is no process/);
  });

  test('says where SNS took nothing', async () => {
    const { all } = journal(3, () => 0);
    await expect(all()).rejects.toThrow(/on boarding.*2026-11-21T00:00:00.000Z.*--since/);
  });

  test('is of a time that begins before it ends', async () => {
    const { ask } = journal(1);
    await expect(ask({ ...republish, until: republish.since })).rejects.toThrow(/since must be before until/);
  });

  test('is written down with each process', async () => {
    const { ask, all } = journal(1);
    await all();
    const details = expect.stringMatching(/^2 events/);
    const action = { who: 'ann', operation: 'republish', process: 'sales', details };
    expect(await ask({ operation: 'actions', process: 'sales' })).toMatchObject({ actions: [action] });
  });
});
