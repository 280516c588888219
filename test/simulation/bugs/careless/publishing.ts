import { type Bug, edit } from '../bug.ts';

export const PUBLISHING: readonly Bug[] = [
  {
    name: 'where reading stopped reported, not where sending did',
    edits: [edit('create-publish.ts', 'sent.stop ?? rest', 'rest ?? sent.stop')],
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
