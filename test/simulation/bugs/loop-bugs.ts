import type { Bug } from './bug.ts';

const edit = (file: string, find: string, replace: string) => ({
  file: `local/loops/${file}`,
  find,
  replace,
});

/** Bugs in the loops that serve queues and tick on one machine. */
export const LOOP_BUGS: readonly Bug[] = [
  {
    name: 'messages deleted before their handler has ended',
    edits: [
      edit(
        'consumer.ts',
        `      const again = new Set(await serve({ messages, queue }, context));
      await queue.delete(messages.filter(({ id }) => !again.has(id)));`,
        `      const serving = serve({ messages, queue }, context);
      await queue.delete(messages);
      await serving;`,
      ),
    ],
    smallWorld: 'delivery, accepted',
  },
  {
    name: 'a run that is done with a part taken for one that is done with all',
    edits: [
      edit(
        'consumer.ts',
        'messages.filter(({ id }) => !again.has(id))',
        'again.size < messages.length ? messages : []',
      ),
    ],
  },
  {
    name: 'a failed run that shows the first of its messages only',
    edits: [
      edit(
        'consumer.ts',
        'for (const message of messages)\n',
        'for (const message of messages.slice(0, 1))\n',
      ),
    ],
    tests: ['local/loops/consumer.test.ts'],
  },
  {
    name: 'messages of a failed run shown at once, however often it failed',
    edits: [edit('consumer.ts', 'soonAgain(message) ?? LATER_S', '0')],
    tests: ['local/loops/consumer.test.ts'],
  },
  {
    name: 'a group served by any number of runs at once',
    edits: [edit('consumer.ts', 'this.#runsOf(group) >= perGroup', 'group === undefined')],
    tests: ['local/loops/consumer.test.ts'],
  },
  {
    name: 'events routed by several runs at once',
    edits: [edit('delivering.ts', '...{ concurrency: 1, timeout: ROUTE_MS }', 'timeout: ROUTE_MS')],
  },
  {
    name: 'a ticker that ends with the first tick that failed',
    edits: [
      edit(
        'ticker.ts',
        'if (!signal.aborted) onFailure(error);',
        'if (!signal.aborted) onFailure(error);\n      stopping.abort();',
      ),
    ],
    tests: ['local/loops/ticker.test.ts'],
  },
  {
    name: 'a tick asked for during a tick that is forgotten',
    edits: [
      edit('ticker.ts', '      isAsked = false;\n      const begunAt', '      const begunAt'),
      edit(
        'ticker.ts',
        '      await trying(() => rest(begunAt));',
        '      isAsked = false;\n      await trying(() => rest(begunAt));',
      ),
    ],
    tests: ['local/loops/ticker.test.ts'],
  },
  {
    name: 'a ticker that leaves out the rest of its period',
    edits: [edit('ticker.ts', 'left > 0 && !isAsked', 'left > LOOK_MS && !isAsked')],
    tests: ['local/loops/ticker.test.ts'],
  },
  {
    name: 'a ticker that compares each time of the clock with the first',
    edits: [edit('ticker.ts', '    seenAt = now;\n', '')],
    tests: ['local/loops/ticker.test.ts'],
  },
  {
    name: 'a period of ticks taken from the slowest pace',
    edits: [edit('ticker.ts', 'changes.fastest, sweep', 'changes.slowest, sweep')],
    tests: ['local/loops/ticker.test.ts'],
  },
];
