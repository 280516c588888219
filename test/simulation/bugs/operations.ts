import type { BugsByFile } from './bugs.ts';

/** Bugs in what operators do, and in what runs do with an endpoint that they removed. */
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
    'a backlog of the name removed after its endpoint has a row': [
      [
        ['    await removeDeliveries(context, name, by);\n    const addedAt', '    const addedAt'],
        [
          '    if (!isOurs) throw nameTaken();\n',
          '    if (!isOurs) throw nameTaken();\n    await removeDeliveries(context, name, by);\n',
        ],
      ],
      { world: 'replaced endpoint: a run begins, sqlite' },
    ],
  },
  'operations/deliveries.ts': {
    'deliveries of a job left to a later endpoint of its name': [
      '    if (error instanceof Refused) await ports.deliveries.forget(added);\n',
      '',
      { world: 'replaced endpoint: a replay, sqlite' },
    ],
  },
  'operations/endpoints.ts': {
    'an operation refused by its own claim': [
      'other && other.by !== by && other',
      'other && other',
      { world: 'secret of an endpoint: rotates and rotates, dynamodb' },
    ],
  },
  'operations/erase.ts': {
    'a dead letter that is sent again during an erasure left': [
      'task.dryRun ? undefined : ERASE.backlog(task, ...rest)',
      'undefined',
      { world: 'rows of an endpoint: erases and resends, sqlite' },
    ],
    'the dead letters erased before the backlog': [
      "'backlog', 'dead', 'requeued', 'attempts'] as const",
      "'dead', 'requeued', 'backlog', 'attempts'] as const",
      { world: 'rows of an endpoint: erases and gives up, sqlite' },
    ],
  },
  'delivery/deliver-batch.ts': {
    'a delivery sent to the address of a later endpoint of its name': [
      '  if (health.isRemoved) return settler.untried(settler.open);\n',
      '',
      { world: 'replaced endpoint: a run delivers, sqlite' },
    ],
  },
  'delivery/drain.ts': {
    'deliveries of a later endpoint sent by a run of the earlier': [
      '  if (!now || now.addedAt !== row.addedAt) return { at: undefined };\n',
      '',
      { world: 'replaced endpoint: a run drains, sqlite' },
    ],
    'the backlog of a later endpoint of the name taken for drained': [
      'row?.addedAt === addedAt && row && change',
      'row && change',
      { world: 'replaced endpoint: a run drains, sqlite' },
    ],
  },
};
