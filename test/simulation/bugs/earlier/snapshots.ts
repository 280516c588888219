import { type Bug, edit } from '../bug.ts';

export const SNAPSHOTS: readonly Bug[] = [
  {
    name: 'change record written outside the transaction',
    edits: [
      edit(
        'snapshots/commits.ts',
        '  return written ?',
        '  const records = changeItems(table, process, request);\n' +
          '  if (written && records.length > 0)\n' +
          '    await table.client.send(new TransactWriteItemsCommand({ TransactItems: records }));\n' +
          '  return written ?',
      ),
      edit(
        'snapshots/commits.ts',
        'new TransactWriteItemsCommand({ TransactItems: items })',
        'new TransactWriteItemsCommand({ TransactItems: projectItems(table, process, request) })',
      ),
    ],
  },
  {
    name: 'lease ignored',
    edits: [
      edit(
        'snapshots/conditions.ts',
        "IS_FREE = 'attribute_not_exists(leaseOwner) OR",
        "IS_FREE = 'attribute_exists(pk) OR attribute_not_exists(leaseOwner) OR",
      ),
      edit(
        'snapshots/conditions.ts',
        "IS_OURS = 'leaseOwner",
        "IS_OURS = 'attribute_exists(pk) OR leaseOwner",
      ),
    ],
  },
];
