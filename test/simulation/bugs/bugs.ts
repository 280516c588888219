/** A deliberate bug: what it is called, and how it is put into the code. Each `find` stands exactly once in its file. */
export interface Bug {
  readonly name: string;
  readonly edits: readonly { readonly file: string; readonly find: string; readonly replace: string }[];
}

const edit = (file: string, find: string, replace: string) => ({ file: `functions/${file}`, find, replace });

export const BUGS: readonly Bug[] = [
  {
    name: 'watermark moved before commit',
    edits: [
      edit(
        'pass/changes-pass.ts',
        "import { readAudit } from './audit.ts';",
        "import { announce } from './announce.ts';\nimport { readAudit } from './audit.ts';",
      ),
      edit(
        'pass/changes-pass.ts',
        '  const named = await heldNames(',
        '  await announce(pass.parts, () => ({ state: { watermark: window.startedAt }, events: () => [] }));\n' +
          '  const named = await heldNames(',
      ),
    ],
  },
  {
    name: 'no overlap',
    edits: [edit('pass/changes-pass.ts', ' - settings.overlap', ' - 0 * settings.overlap')],
  },
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
    name: 'publish marks before sending',
    edits: [
      edit(
        'create-publish.ts',
        '  return async ({ Records }, context) => {',
        '  const publish: Publish = async ({ Records }, context) => {',
      ),
      edit(
        'create-publish.ts',
        '    return { batchItemFailures: [{ itemIdentifier }] };\n  };\n',
        '    return { batchItemFailures: [{ itemIdentifier }] };\n  };\n' +
          '  return async (event, context) => {\n    void publish(event, context);\n    return { batchItemFailures: [] };\n  };\n',
      ),
    ],
  },
  {
    name: 'deletions unconfirmed',
    edits: [
      edit('pass/listing.ts', 'let complete = first.pages <= 1;', 'let complete = true;'),
      edit(
        'pass/read-tasks.ts',
        'if (pass.parts.state.baselined && !lacksAny(first.tasks, held)) return first;',
        'if (pass.parts.state.baselined) return first;',
      ),
      edit('pass/sweep-pass.ts', 'if (isGone || isRepeated)', 'if (isGone || answer === 200)'),
    ],
  },
  {
    name: 'empty is not missing',
    edits: [
      edit(
        'changes/empty.ts',
        "value === undefined || value === null || value === '' ||",
        'value === undefined ||',
      ),
    ],
  },
  {
    name: 'audit read newest-first only',
    edits: [
      edit('pass/audit.ts', "if (position?.order !== 'oldest-first') {", 'if (true) {'),
      edit('pass/audit.ts', 'if (hasTail)', 'if (!hasTail && hasTail)'),
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
  {
    name: 'progress lost on time-out',
    edits: [
      edit(
        'pass/pass.ts',
        '    await this.#save(this.#lease);\n    await this.parts.snapshots.release(',
        '    await this.parts.snapshots.abandon(',
      ),
    ],
  },
  {
    name: 'event id without version',
    edits: [
      edit('changes/event-id.ts', 'encodePart(projectId), version, index]', 'encodePart(projectId), index]'),
    ],
  },
];
