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
  {
    name: 'the last failed record reported, not the first',
    edits: [edit('create-publish.ts', 'batch[Math.min(...failed', 'batch[Math.max(...failed')],
  },
  {
    name: 'the record before the failed one reported',
    edits: [
      edit(
        'create-publish.ts',
        "failed.record.dynamodb?.SequenceNumber ?? ''",
        "Records[Math.max(0, Records.indexOf(failed.record) - 1)]?.dynamodb?.SequenceNumber ?? ''",
      ),
    ],
  },
  {
    name: 'failures of the second batch dropped',
    edits: [edit('create-publish.ts', 'if (!failed) {', 'if (!failed || published > 0) {')],
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
  {
    name: 'a dead letter that could not be written is gone',
    edits: [
      edit(
        'delivery/settler.ts',
        '      this.#again.push(record.messageId);\n      log.error(',
        '      log.error(',
      ),
    ],
  },
  {
    name: 'a message whose visibility could not be set is gone',
    edits: [
      edit('delivery/settler.ts', '    this.#again.push(record.messageId);\n    try {', '    try {'),
      edit(
        'delivery/settler.ts',
        'record.receiptHandle, seconds);\n',
        'record.receiptHandle, seconds);\n      this.#again.push(record.messageId);\n',
      ),
    ],
  },
  {
    name: 'messages behind a slowed one taken for delivered',
    edits: [
      edit(
        'delivery/deliver-batch.ts',
        'if (this.#rest) return this.#settle(job.records, this.#rest);',
        'if (this.#rest) return this.#settler.delivered(job.records);',
      ),
    ],
  },
  {
    name: 'watermark by our clock where there is no Date',
    edits: [edit('pass/listing.ts', '? readAt : withoutClock(pass, projects)', '? readAt : clock()')],
  },
  {
    name: 'watermark from the last reading, not the first',
    edits: [
      edit(
        'pass/listing.ts',
        'const readAt = first.firstPage?.readAt',
        'const readAt = last.firstPage?.readAt',
      ),
    ],
  },
  {
    name: 'readings compared by their size',
    edits: [edit('pass/listing.ts', 'before.isSubsetOf(last.ids)', 'before.size <= last.ids.size')],
  },
  {
    name: 'a restless sweep counted as one that missed a project',
    edits: [edit('pass/sweep-pass.ts', 'missing.filter(id => complete || before.has(id))', 'missing')],
  },
  {
    name: 'version by counting alone',
    edits: [edit('pass/next-version.ts', 'Math.max(last + 1, at)', 'last + 1')],
  },
];
