import { type Bug, edit } from '../bug.ts';

export const PASS: readonly Bug[] = [
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
    name: 'deletions unconfirmed',
    edits: [
      edit('pass/listing.ts', 'let complete = first.pages <= 1;', 'let complete = true;'),
      edit(
        'pass/read-tasks.ts',
        'if (pass.parts.state.baselined && held && !lacksAny(first.tasks, held)) return first;',
        'if (pass.parts.state.baselined) return first;',
      ),
      edit(
        'pass/sweep-pass.ts',
        "return wasMissed ? 'gone by repetition' : 'missed'",
        "return 'gone by repetition'",
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
    tests: ['pass/listing.test.ts'],
  },
  {
    name: 'readings compared by their size',
    edits: [edit('pass/listing.ts', 'before.ids.isSubsetOf(last.ids)', 'before.ids.size <= last.ids.size')],
  },
  {
    name: 'a restless sweep counted as one that missed a project',
    tests: ['pass/restless-listing.test.ts'],
    edits: [edit('pass/sweep-pass.ts', "return wasMissed ? 'missed' : undefined", "return 'missed'")],
  },
  {
    name: 'version by counting alone',
    edits: [edit('pass/next-version.ts', 'Math.max(last + 1, at)', 'last + 1')],
  },
];
