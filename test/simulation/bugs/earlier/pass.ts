import { type Bug, edit } from '../bug.ts';

export const PASS: readonly Bug[] = [
  {
    name: 'watermark moved before commit',
    edits: [
      edit(
        'pass/survey.ts',
        "import { announceEntries } from './announce.ts';",
        "import { announce, announceEntries } from './announce.ts';",
      ),
      edit(
        'pass/survey.ts',
        '  const namesByEntry = ',
        '  await announce(context, before, () => ({ state: { watermark: window.startedAt }, events: () => [] }));\n' +
          '  const namesByEntry = ',
      ),
    ],
  },
  {
    name: 'no overlap',
    edits: [edit('pass/survey.ts', 'watermark - settings.overlap', 'watermark - 0 * settings.overlap')],
  },
  {
    name: 'deletions unconfirmed',
    edits: [
      edit('pass/reading/listing.ts', 'let isComplete = first.pages <= 1;', 'let isComplete = true;'),
      edit(
        'pass/reading/read-tasks.ts',
        'if (before && !lacksAny(first.tasks(), before)) return tasksIn(first);',
        'if (before) return tasksIn(first);',
      ),
      edit('pass/look.ts', 'return snapshot?.content.tasks;', 'return snapshot?.content.tasks ?? new Map();'),
      edit(
        'pass/decide.ts',
        "if (listing === 'whole') return recheck?.cause === 'not-listed' ? 'missed twice' : 'not-listed';",
        "if (listing === 'whole') return 'missed twice';",
      ),
    ],
  },
  {
    name: 'audit read newest-first only',
    edits: [
      edit(
        'pass/audit-log/read-audit.ts',
        "const isFromTail = order === 'oldest-first' &&",
        'const isFromTail = !order &&',
      ),
      edit('pass/audit-log/read-audit.ts', "(hasRest && order === 'unknown' &&", '(hasRest && !order &&'),
      edit(
        'pass/audit-log/log-reading.ts',
        "return order === 'newest-first'\n      ?",
        'return order\n      ?',
      ),
    ],
  },
  {
    name: 'progress lost on time-out',
    edits: [
      edit(
        'pass/run-pass.ts',
        '  await heartbeat.save();\n  await snapshots.release(',
        '  await snapshots.abandon(',
      ),
    ],
  },
  {
    name: 'watermark by our clock where there is no Date',
    edits: [
      edit('pass/reading/listing.ts', '? readAt : withoutClock(context, projects)', '? readAt : clock()'),
    ],
  },
  {
    name: 'watermark from the last reading, not the first',
    edits: [
      edit(
        'pass/reading/listing.ts',
        'const readAt = first.firstPage?.readAt',
        'const readAt = last.firstPage?.readAt',
      ),
    ],
    tests: ['pass/reading/listing.test.ts'],
  },
  {
    name: 'readings compared by their size',
    edits: [
      edit('pass/reading/listing.ts', 'before.ids.isSubsetOf(last.ids)', 'before.ids.size <= last.ids.size'),
    ],
  },
  {
    name: 'a restless sweep counted as one that missed a project',
    tests: ['pass/decide.test.ts'],
    edits: [
      edit(
        'pass/decide.ts',
        "return recheck?.cause === 'not-listed' ? 'not-listed' : 'uncertain';",
        "return 'not-listed';",
      ),
    ],
  },
  {
    name: 'version by counting alone',
    edits: [edit('pass/announce.ts', 'Math.max(last + 1, at)', 'last + 1')],
  },
];
