import type { BugsByFile } from './bugs.ts';

/** Twenty bugs of the kind that a careful programmer makes, spread over all rooms: a stale variable, the last instead of the
 *  first, a check dropped in a rare branch, a set compared by its size. */
export const CARELESS: BugsByFile = {
  'pass/commit.ts': {
    'tasks dated by the listing of their project': ['tasks, at),', 'source, at),'],
  },
  'pass/rounds.ts': {
    'a project that failed not left for the next run': [
      '  await snapshots.writeRechecks(process, changes);\n',
      '',
      'pass/rounds.test.ts',
    ],
  },
  'pass/decide.ts': {
    'a skipped project done with before its record was seen': [
      "  if (listing === 'changed') return 'unclear';\n  return listing === 'whole' ?",
      "  return listing !== 'unstable' ?",
      'pass/decide.test.ts',
    ],
  },
  'pass/state.ts': {
    'definitions kept from pass to pass': [
      [
        [
          '      const read = await readDefinitions(service, process.processId, reports);\n',
          '      const read = kept.get(this.#context.settings) ?? (await readDefinitions(service, process.processId, reports));\n' +
            '      kept.set(this.#context.settings, read);\n',
        ],
        [
          "/** A process's field definitions during one pass",
          'const kept = new WeakMap<object, Awaited<ReturnType<typeof readDefinitions>>>();\n' +
            '\n' +
            "/** A process's field definitions during one pass",
        ],
      ],
    ],
  },
  'store/dynamo/projects.ts': {
    'a deletion that asks for no version': [
      'Key: projectKey(process, projectId), ...condition }',
      'Key: projectKey(process, projectId) }',
      'store/contract.test.ts',
    ],
  },
  'store/dynamo/state.ts': {
    'parts of the state removed only where none is set': [
      'removed.length > 0 ?',
      'removed.length > 0 && set.length === 0 ?',
    ],
  },
  'store/dynamo/requests.ts': {
    'as many keys asked again as were left, not those': [
      'rest = [...left, ...rest.slice(MAX_BATCH)]',
      'rest = rest.slice(asked.length - left.length)',
    ],
  },
  'service/list.ts': {
    'every page of a list as old as its first': [
      [
        [
          '  for (;;) {\n    const answer =',
          "  let times: Pick<Answer, 'readAt' | 'clock'> | undefined;\n" +
            '  for (;;) {\n' +
            '    const answer =',
        ],
        ['const { readAt, clock } = answer;', 'times ??= answer;\n    const { readAt, clock } = times;'],
      ],
    ],
  },
  'service/reader.ts': {
    "how far the service's clock is off, asked once for all": [
      [
        [
          "if (date !== undefined) return { readAt: date, clock: 'service' };",
          'if (date !== undefined) {\n' +
            '    const offset = offsets.get(context) ?? date - answer.at;\n' +
            '    offsets.set(context, offset);\n' +
            "    return { readAt: answer.at + offset, clock: 'service' };\n" +
            '  }',
        ],
        [
          '/** A 2xx answer in JSON. */',
          'const offsets = new WeakMap<Context, number>();\n\n/** A 2xx answer in JSON. */',
        ],
      ],
    ],
  },
  'service/client.ts': {
    'the query of a single answer dropped on the way': [
      'pathOf(context.settings.base, what.segments, what.query)',
      'pathOf(context.settings.base, what.segments)',
    ],
  },
  'changes/compare-record.ts': {
    'sets of choices compared by their size': [
      'if (added.length === 0 && removed.length === 0) return undefined;',
      'if (before.size === after.size) return undefined;',
    ],
  },
  'basics/decimal.ts': {
    "a number's trailing zeros not counted in its power": [
      ' - fraction.length + (digits.length - significant.length)',
      ' - fraction.length',
    ],
  },
  'changes/compare-definitions.ts': {
    'a field that came back still missing': [
      'return before.missing === undefined ? before : plainOf(before);',
      'return before;',
      'changes/definitions.test.ts',
    ],
  },
  'handlers/create-publish.ts': {
    'where reading stopped reported, not where sending did': [
      '    const { ids, stop = rest } = await publishAll(batchesOf(outgoing), isLate, dependencies);\n',
      '    const { ids, stop: sent } = await publishAll(batchesOf(outgoing), isLate, dependencies);\n' +
        '    const stop = rest ?? sent;\n',
    ],
  },
  'topic/send-batch.ts': {
    'the first of a refused batch set aside for another': [
      [
        ['    const refuse = (_alone: number, reason: string) => topic.refuse(index, reason);\n', ''],
        ['sendBatch({ ...topic, refuse }, [message])', 'sendBatch(topic, [message])'],
      ],
    ],
  },
  'delivery/deliver-batch.ts': {
    'delivered ones fail with the rest of their batch': [
      [
        [
          '  const poster = dependencies.openPoster();',
          '  const all = settler.open;\n  const poster = dependencies.openPoster();',
        ],
        [
          'for (const delivery of settler.open) await settler.failed(delivery, { reason });',
          'for (const delivery of all) await settler.failed(delivery, { reason });',
        ],
      ],
    ],
    'the outcome of a post for those of the post begun last': [
      [
        ['  let isLate = false;\n', '  let isLate = false;\n  let last: Job | undefined;\n'],
        [
          '    const began = clock();\n    settler',
          '    const began = clock();\n    last = job;\n    settler',
        ],
        ['await conclude(all, began, ', 'await conclude(last.deliveries, began, '],
      ],
    ],
  },
  'delivery/http/post.ts': {
    'the answer to an earlier post taken for that to this one': [
      [
        ['      let reached: Answer | undefined;\n', ''],
        ['  return {\n    close:', '  let reached: Answer | undefined;\n  return {\n    close:'],
      ],
    ],
  },
  'delivery/chat/chat-topic.ts': {
    'that a field is in use again left out of chats': [
      "action === 'archived'\n      ? field === 'archived'",
      "field === 'archived'\n      ? true",
    ],
  },
  'handlers/workspace-run.ts': {
    'a sweep that is not finished dropped as if it were': [
      'dueAt === 0 || state.isSweepUnfinished || ',
      'dueAt === 0 || ',
    ],
  },
};
