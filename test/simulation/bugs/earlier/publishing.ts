import { type Bug, edit } from '../bug.ts';

export const PUBLISHING: readonly Bug[] = [
  {
    name: 'publish marks before sending',
    edits: [
      edit(
        'handlers/create-publish.ts',
        '  return async ({ Records }, context) => {',
        '  const publish: Publish = async ({ Records }, context) => {',
      ),
      edit(
        'handlers/create-publish.ts',
        'stop.record.dynamodb.SequenceNumber }] : [] };\n  };\n',
        'stop.record.dynamodb.SequenceNumber }] : [] };\n  };\n' +
          '  return async (event, context) => {\n    void publish(event, context);\n    return { batchItemFailures: [] };\n  };\n',
      ),
    ],
  },
  {
    name: 'the last failed record reported, not the first',
    edits: [edit('handlers/create-publish.ts', 'Math.min(...failed)', 'Math.max(...failed)')],
  },
  {
    name: 'the record before the failed one reported',
    edits: [
      edit(
        'handlers/create-publish.ts',
        'stop ? [{ itemIdentifier: stop.record.dynamodb.SequenceNumber }]',
        'stop ? [{ itemIdentifier:\n' +
          '      Records.at(Math.max(0, Records.findIndex(({ dynamodb }) => dynamodb === stop.record.dynamodb) - 1))\n' +
          "      ?.dynamodb?.SequenceNumber ?? '' }]",
      ),
    ],
  },
  {
    name: 'failures of the second batch dropped',
    edits: [
      edit(
        'handlers/create-publish.ts',
        'if (published.stop) return { ids, stop: published.stop };',
        'if (published.stop && index === 0) return { ids, stop: published.stop };',
      ),
    ],
  },
  {
    name: 'as many entries sent again as failed, not those',
    edits: [
      edit(
        'topic/send-batch.ts',
        'rest.filter(({ index }) => again.has(index))',
        'rest.slice(0, again.size)',
      ),
    ],
  },
  {
    name: 'entries named by their place among the rest',
    edits: [
      edit('topic/send-batch.ts', 'rest.map(({ message, index }) =>', 'rest.map(({ message }, index) =>'),
    ],
  },
];
