import { type Bug, edit } from '../bug.ts';

export const SNAPSHOTS: readonly Bug[] = [
  {
    name: 'change record written outside the transaction',
    edits: [
      edit('store/dynamo/projects.ts', '    ...changePuts(process, request.projectId, request),\n', ''),
      edit(
        'store/dynamo/projects.ts',
        '  return transact(table, items);',
        '  const result = await transact(table, items);\n' +
          '  const records = changePuts(process, request.projectId, request);\n' +
          "  if (result === 'committed' && records.length > 0) await transact(table, records);\n" +
          '  return result;',
      ),
    ],
  },
  {
    name: 'a baseline that commits behind its end',
    edits: [
      edit('store/dynamo/projects.ts', 'request.isSilent ? [whileInBaseline', '!table ? [whileInBaseline'),
    ],
    tests: ['pass/steps.test.ts'],
  },
  {
    name: 'lease ignored',
    edits: [
      edit(
        'store/dynamo/conditions.ts',
        "IS_FREE =\n  'attribute_not_exists(leaseOwner) OR",
        "IS_FREE =\n  'attribute_exists(pk) OR attribute_not_exists(leaseOwner) OR",
      ),
      edit(
        'store/dynamo/conditions.ts',
        "IS_OURS = 'leaseOwner",
        "IS_OURS = 'attribute_exists(pk) OR leaseOwner",
      ),
    ],
  },
];
