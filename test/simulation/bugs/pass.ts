import type { BugsByFile } from './bugs.ts';

/** Bugs in passes: what they read, decide and commit. */
export const PASS: BugsByFile = {
  'pass/survey.ts': {
    'watermark moved before commit': [
      [
        [
          "import { announceEntries } from './announce.ts';",
          "import { announce, announceEntries } from './announce.ts';",
        ],
        [
          '  const namesByEntry = ',
          '  await announce(context, before, () => ({ state: { watermark: window.startedAt }, events: () => [] }));\n' +
            '  const namesByEntry = ',
        ],
      ],
    ],
    'no overlap': ['watermark - settings.overlap', 'watermark - 0 * settings.overlap'],
    'a watermark that stays though listed projects were processed': [
      'isHealthy, listing.projects.size === 0, listing',
      'isHealthy, listing',
    ],
  },
  'pass/reading/listing.ts': {
    'deletions unconfirmed': [
      [
        ['let isComplete = first.pages <= 1;', 'let isComplete = true;'],
        [
          'if (before && !lacksAny(first.tasks(), before)) return tasksIn(first);',
          'if (before) return tasksIn(first);',
          'pass/reading/read-tasks.ts',
        ],
        ['return snapshot?.content.tasks;', 'return snapshot?.content.tasks ?? new Map();', 'pass/look.ts'],
        [
          "if (listing === 'whole') return wasMissed(seen, rules) ? 'missed twice' : 'not-listed';",
          "if (listing === 'whole') return 'missed twice';",
          'pass/decide.ts',
        ],
      ],
    ],
    'watermark by our clock where there is no Date': [
      '? readAt : withoutClock(context, projects)',
      '? readAt : clock()',
    ],
    'watermark from the last reading, not the first': [
      'const readAt = first.firstPage?.readAt',
      'const readAt = last.firstPage?.readAt',
      'pass/reading/listing.test.ts',
    ],
    'readings compared by their size': [
      'before.ids.isSubsetOf(last.ids)',
      'before.ids.size <= last.ids.size',
    ],
  },
  'pass/audit-log/read-audit.ts': {
    'audit read newest-first only': [
      [
        ["const isFromTail = order === 'oldest-first' &&", 'const isFromTail = !order &&'],
        ["(hasRest && order === 'unknown' &&", '(hasRest && !order &&'],
        [
          "return order === 'newest-first'\n      ?",
          'return order\n      ?',
          'pass/audit-log/log-reading.ts',
        ],
      ],
    ],
    'actors named by a log that was not read to its end': ['readAt: isCutShort ? 0 : readAt,', 'readAt,'],
    'a log that was not met read no further': ['isLost = !reading.isMet;', 'isLost = false;'],
  },
  'pass/run-pass.ts': {
    'progress lost on time-out': [
      '  await heartbeat.save();\n  await snapshots.release(',
      '  await snapshots.abandon(',
    ],
  },
  'pass/decide.ts': {
    'a restless sweep counted as one that missed a project': [
      "return recheck?.cause === 'not-listed' ? 'not-listed' : 'uncertain';",
      "return 'not-listed';",
      'pass/decide.test.ts',
    ],
    "a listing's older record taken for newer": ['theirs - ours : byReading', 'ours - theirs : byReading'],
    "a listing's record taken for newer whenever read": [
      [
        ['if (byReading > (listed.untimed ||', 'if (Math.abs(byReading) > (listed.untimed ||'],
        ['if (order > 0)', 'if (order !== 0)'],
      ],
    ],
    'whatever is owed counted as missed by the last sweep': [
      "if (listing === 'whole') return wasMissed(seen, rules) ?",
      "if (listing === 'whole') return recheck !== undefined ?",
      'pass/decide.test.ts',
    ],
    'a list that never came to rest taken for whole': [
      "if (listing === 'whole') return wasMissed(seen, rules) ?",
      "if (listing !== 'changed') return wasMissed(seen, rules) ?",
    ],
  },
  'pass/announce.ts': {
    'version by counting alone': ['Math.max(last + 1, at)', 'last + 1'],
    'tasks in audit entries told of a neighbour project': [
      'tasks.push({ id, projectId });',
      'tasks.push({ id, projectId: [...named][0] ?? projectId });',
    ],
  },
  'basics/empty.ts': {
    'empty is not missing': [
      "value === undefined || value === null || value === '' ||",
      'value === undefined ||',
    ],
  },
  'model/event-id.ts': {
    'event id without version': ['encodePart(projectId), version, index]', 'encodePart(projectId), index]'],
  },
  'changes/compare-record.ts': {
    'of several removed choices the first alone': [
      'removed: removed.map(',
      'removed: removed.slice(0, 1).map(',
    ],
  },
  'pass/context/context.ts': {
    'a lease taken for what was found, whoever ended a pass meanwhile': [
      'until: now + LEASE_MS, asRead }',
      'until: now + LEASE_MS }',
      'pass/context/heartbeat.test.ts',
    ],
  },
  'pass/look.ts': {
    'tasks compared with a snapshot that was read behind them': [
      'if (head && snapshot?.version !== head.version)',
      'if (head && !snapshot)',
      { world: 'with a recheck: changes and sweep, update task' },
    ],
    'same tasks taken for a same project': [
      'digest: listed && listed.digest === digests.record ? digests.tasks : undefined',
      'digest: digests.tasks',
    ],
  },
  'pass/conclude.ts': {
    'what is owed written only where something failed': [
      'keepsRechecks: findings.sorted().length > 0',
      'keepsRechecks: findings.faults.length > 0',
    ],
    'deletions of a changes pass counted alone': [
      "isOnHold || kind === 'changes' ? missing",
      'isOnHold ? missing',
      'pass/conclude.test.ts',
    ],
    'a release ended by a changes pass': [
      "releasesHold: kind === 'sweep' && (isOnHold || state.released)",
      'releasesHold: isOnHold || state.released',
      'pass/conclude.test.ts',
    ],
  },
  'pass/settle.ts': {
    'a watermark that moves on past a list that never came to rest': [
      'watermark: isComplete ? startedAt : before.watermark',
      'watermark: startedAt',
      'pass/baseline.test.ts',
    ],
  },
  'pass/rechecks.ts': {
    'changes of a recheck dated from the watermark alone': [
      '? Math.min(watermark, sweptAt) : 0',
      '? watermark : 0',
      'pass/rechecks.test.ts',
    ],
    'a recheck kept as what it first was': [
      "if (before && (before.cause === cause ? !isNow : cause === 'uncertain' && isRetried(before.cause)))",
      'if (before)',
      'pass/rechecks.test.ts',
    ],
  },
  'pass/rounds.ts': {
    'progress moved on before what is owed is written': [
      '  const changes = recheckChanges(before, findings.takeNew()',
      '  if (reached !== undefined) {\n' +
        '    heartbeat.reach(reached);\n' +
        '    await heartbeat.save();\n' +
        '  }\n' +
        '  const changes = recheckChanges(before, findings.takeNew()',
      'pass/rounds.test.ts',
    ],
  },
  'pass/reading/read-tasks.ts': {
    'a list known by its first page': [
      'digest: digests.length === 1 ? digests[0] : digest(digests)',
      'digest: digests[0]',
    ],
  },
  'pass/commit.ts': {
    'a digest kept though an archived value was': [
      'tasks.digest !== undefined && areEqual(content.tasks, tasks.tasks)',
      'tasks.digest !== undefined',
      'pass/commit.test.ts',
    ],
    'the digest of the whole kept with a step of a commit': [
      'const digests = isWhole ? digestsOf(whole, rules, withhold) : {};',
      'const digests = digestsOf(whole, rules, withhold);',
      'pass/steps.test.ts',
    ],
    'a baseline that emits events': ['events: isSilent\n      ? []\n', 'events: !projectId\n      ? []\n'],
  },
  'pass/audit-log/actors.ts': {
    'actors of the neighbour entry': [
      'about.map(({ users }) => knownAmong(users, names));',
      'about.map(fact => knownAmong((facts[facts.indexOf(fact) + 1] ?? fact).users, names));',
    ],
  },
  'pass/audit-log/log-reading.ts': {
    'a newest-first log left at its head where its reading was cut short': [
      "return !hasKnown || (this.order !== 'newest-first' &&",
      "return this.order !== 'newest-first' && (!hasKnown ||",
      'pass/audit-log/read-audit.test.ts',
    ],
    'a reading continued where its last page has other entries by now': [
      'return new Set(this.walk.first).isDisjointFrom(new Set(unfinished.seen));',
      'return false;',
      'pass/audit-log/read-audit.test.ts',
    ],
    'every unknown audit entry taken for new': ["(item.age === 'new' || (", '(item.age !== undefined || ('],
  },
  'changes/build-events.ts': {
    'one id for all events of a commit': ['version, index),', 'version, 0),'],
    'events with the time of their reading as their sequence': [
      'sequence: String(version),',
      'sequence: String(observed.before),',
    ],
  },
};
