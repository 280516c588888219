import { type Bug, edit } from './bug.ts';

/** Bugs in the decision about a project, in the conclusion of a pass, and in rechecks. */
export const DECIDING_BUGS: readonly Bug[] = [
  {
    name: 'whatever is owed counted as missed by the last sweep',
    edits: [
      edit(
        'pass/decide.ts',
        "if (listing === 'whole') return recheck?.cause === 'not-listed' ?",
        "if (listing === 'whole') return recheck !== undefined ?",
      ),
    ],
    tests: ['pass/decide.test.ts'],
  },
  {
    name: 'a list that never came to rest taken for whole',
    edits: [
      edit(
        'pass/decide.ts',
        "if (listing === 'whole') return recheck?.cause === 'not-listed' ?",
        "if (listing !== 'changed') return recheck?.cause === 'not-listed' ?",
      ),
    ],
  },
  {
    name: 'tasks compared with a snapshot that was read behind them',
    edits: [
      edit(
        'pass/look.ts',
        'if (head && snapshot?.version !== head.version) return observe(context, state, candidate);',
        '',
      ),
    ],
    tests: ['pass/observe.test.ts'],
  },
  {
    name: 'what is owed written only where something failed',
    edits: [
      edit(
        'pass/conclude.ts',
        'keepsRechecks: findings.sorted().length > 0',
        'keepsRechecks: findings.faults.length > 0',
      ),
    ],
  },
  {
    name: 'a watermark that moves on past a list that never came to rest',
    edits: [
      edit('pass/settle.ts', 'watermark: isComplete ? startedAt : before.watermark', 'watermark: startedAt'),
    ],
    tests: ['pass/baseline.test.ts'],
  },
  {
    name: 'deletions of a changes pass counted alone',
    edits: [edit('pass/conclude.ts', "isOnHold || kind === 'changes' ? missing", 'isOnHold ? missing')],
    tests: ['pass/conclude.test.ts'],
  },
  {
    name: 'a release ended by a changes pass',
    edits: [
      edit(
        'pass/conclude.ts',
        "releasesHold: kind === 'sweep' && (isOnHold || state.released)",
        'releasesHold: isOnHold || state.released',
      ),
    ],
    tests: ['pass/conclude.test.ts'],
  },
  {
    name: 'changes of a recheck dated from the watermark alone',
    edits: [edit('pass/rechecks.ts', '? Math.min(watermark, sweptAt) : 0', '? watermark : 0')],
    tests: ['pass/rechecks.test.ts'],
  },
  {
    name: 'a recheck kept as what it first was',
    edits: [
      edit(
        'pass/rechecks.ts',
        "if (before && (before.cause === cause ? !isUnclear : cause === 'uncertain' && isRetried(before.cause)))",
        'if (before)',
      ),
    ],
    tests: ['pass/rechecks.test.ts'],
  },
  {
    name: 'progress moved on before what is owed is written',
    edits: [
      edit(
        'pass/rounds.ts',
        '  const changes = recheckChanges(before, findings.takeNew()',
        '  if (reached !== undefined) {\n    heartbeat.reach(reached);\n    await heartbeat.save();\n  }\n' +
          '  const changes = recheckChanges(before, findings.takeNew()',
      ),
    ],
    tests: ['pass/rounds.test.ts'],
  },
];
