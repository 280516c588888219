import type { BugsByFile } from './bugs.ts';

/** Bugs in what operators do. */
export const OPERATIONS: BugsByFile = {
  'operations/endpoint-settings.ts': {
    'a secret changed as it was before its claim': [
      [
        [
          '  await changeRow(context, found, row => claimed(row, by, context.clock()));\n' +
            '  let secret: EndpointSecret | undefined;\n',
          '  const before = await readSecret(context, found.endpoint);\n' +
            '  await changeRow(context, found, row => claimed(row, by, context.clock()));\n' +
            '  let secret: EndpointSecret | undefined;\n',
        ],
        ['change(await readSecret(context, found.endpoint))', 'change(before)'],
      ],
      { world: 'secret of an endpoint in rotation: rotates and finishes, dynamodb' },
    ],
  },
  'operations/endpoints.ts': {
    'an operation refused by its own claim': [
      'other && other.by !== by && other',
      'other && other',
      { world: 'secret of an endpoint: rotates and rotates, dynamodb' },
    ],
  },
};
