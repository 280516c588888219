import { describe, expect, it } from 'vitest';
import type { Item } from './respond.ts';

/** An event source mapping under test, with ReportBatchItemFailures, whose function does what the items say. */
export interface SourceSubject {
  /** Adds an item. */
  add(item: Item): Promise<void>;
  /** The names of the items of each batch that the function got, in the order of the batches. */
  batches(): Promise<readonly (readonly string[])[]>;
  /** Lets a little time pass. */
  tick(): Promise<void>;
  /** Ms. */
  now(): number;
  /** In its time; until then batches are waited for. */
  readonly deadline: number;
}

/** Opens a mapping whose source has these items. A batch has at most 4. The visibility time-out of a queue is
 *  short; a stream is read from its beginning, and the items are in one shard. */
export type OpenSource = (source: 'queue' | 'stream', items: readonly Item[]) => Promise<SourceSubject>;

const namesIn = async (subject: SourceSubject) => (await subject.batches()).flat();

/** Waits until an item came that often, or until the deadline: then what came differs from what is expected. */
async function wait(subject: SourceSubject, name: string, times = 1): Promise<void> {
  const count = async () => (await namesIn(subject)).filter(other => other === name).length;
  while ((await count()) < times && subject.now() < subject.deadline) await subject.tick();
}

/** How often each message came. The last one fails once: when it comes again, all that failed came again. */
async function messageCounts(open: OpenSource, items: readonly Item[]): Promise<Record<string, number>> {
  const queue = await open('queue', items);
  for (const { name, answers = [] } of items)
    await wait(queue, name, answers[0] === undefined || answers[0] === 'no list' ? 1 : 2);
  await queue.add({ name: 'last', answers: ['failed'] });
  await wait(queue, 'last', 2);
  const counts: Record<string, number> = {};
  for (const name of await namesIn(queue)) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/** The names of the records as they came, until `z` came, which is added when the last item came so often. */
async function recordOrder(open: OpenSource, items: readonly Item[], times: number): Promise<string> {
  const stream = await open('stream', items);
  await wait(stream, items.at(-1)?.name ?? '', times);
  await stream.add({ name: 'z' });
  await wait(stream, 'z');
  return (await namesIn(stream)).join('');
}

const CASES = {
  'a queue: messages that failed come again, and the others of their batch do not': async open => {
    const items: Item[] = [{ name: 'a' }, { name: 'b', answers: ['failed'] }, { name: 'c' }];
    expect(await messageCounts(open, items)).toEqual({ a: 1, b: 2, c: 1, last: 2 });
  },

  'a queue: an identifier that no message has, beside a known one, makes the whole batch come again':
    async open => {
      const items = ['a', 'b', 'c'].map((name): Item => ({ name, answers: ['unknown'] }));
      expect(await messageCounts(open, items)).toEqual({ a: 2, b: 2, c: 2, last: 2 });
    },

  'a queue: a function that throws makes the whole batch come again': async open => {
    const items = ['a', 'b', 'c'].map((name): Item => ({ name, answers: ['throws'] }));
    expect(await messageCounts(open, items)).toEqual({ a: 2, b: 2, c: 2, last: 2 });
  },

  'a queue: an answer without a list of failures is success': async open => {
    const items = ['a', 'b', 'c'].map((name): Item => ({ name, answers: ['no list'] }));
    expect(await messageCounts(open, items)).toEqual({ a: 1, b: 1, c: 1, last: 2 });
  },

  'a stream: records come in the order of their shard, at most as many at once as a batch has':
    async open => {
      const names = [...'abcdefghij'];
      const stream = await open(
        'stream',
        names.map(name => ({ name })),
      );
      await wait(stream, 'j');
      const batches = await stream.batches();
      expect(batches.flat()).toEqual(names);
      expect(Math.max(...batches.map(({ length }) => length))).toBe(4);
    },

  // A function whose process was replaced has lost its counts, and fails a record once more.
  'a stream: the first record that failed comes again with those after it, and those before it do not':
    async open => {
      const items: Item[] = [...'abcd'].map(name => ({ name, ...('c' <= name && { answers: ['failed'] }) }));
      expect(await recordOrder(open, items, 2)).toMatch(/^ab(cd){2,}z$/);
    },

  'a stream: an identifier that no record has, beside a known one, makes the whole batch come again':
    async open => {
      const items: Item[] = [{ name: 'a' }, { name: 'b', answers: ['unknown'] }];
      expect(await recordOrder(open, items, 2)).toMatch(/^(ab){2,}z$/);
    },

  'a stream: a function that throws makes the whole batch come again': async open => {
    const items: Item[] = [{ name: 'a' }, { name: 'b', answers: ['throws'] }];
    expect(await recordOrder(open, items, 2)).toMatch(/^(ab){2,}z$/);
  },

  'a stream: an answer without a list of failures is success': async open => {
    const items: Item[] = [{ name: 'a' }, { name: 'b', answers: ['no list'] }];
    expect(await recordOrder(open, items, 1)).toBe('abz');
  },
} satisfies Record<string, (open: OpenSource) => Promise<void>>;

/** How event source mappings of Lambda behave, as far as the project relies on it: for the models and for AWS. */
export function eventSourceContract(name: string, open: OpenSource): void {
  describe.concurrent(`an event source in ${name}`, () => {
    for (const [title, run] of Object.entries(CASES)) it(title, () => run(open));
  });
}
