import { type Bug, edit } from '../bug.ts';

export const PUBLISHING: readonly Bug[] = [
  {
    name: 'where reading stopped reported, not where sending did',
    edits: [
      edit(
        'handlers/create-publish.ts',
        '    const { ids, stop = rest } = await publishAll(batchesOf(outgoing), isLate, dependencies);\n',
        '    const { ids, stop: sent } = await publishAll(batchesOf(outgoing), isLate, dependencies);\n' +
          '    const stop = rest ?? sent;\n',
      ),
    ],
  },
  {
    name: 'the first of a refused batch set aside for another',
    edits: [
      edit(
        'topic/send-batch.ts',
        '    const refuse = (_alone: number, reason: string) => topic.refuse(index, reason);\n',
        '',
      ),
      edit(
        'topic/send-batch.ts',
        'sendBatch({ ...topic, refuse }, [message])',
        'sendBatch(topic, [message])',
      ),
    ],
  },
];
