import { type Bug, edit } from './bug.ts';

/** Bugs in which entries of the audit log are told. */
export const ENTRY_BUGS: readonly Bug[] = [
  {
    name: 'told audit entries not remembered',
    edits: [
      edit(
        'store/dynamo/announcements.ts',
        '...entryPuts(process, entries, said)',
        '...entryPuts(process, [], said)',
      ),
    ],
  },
  {
    name: 'a log that was not met read no further',
    edits: [
      edit(
        'pass/audit-log/read-entries.ts',
        'isCutShort ? isPlaced && found.isMet : isWhole || found.isMet;',
        'isCutShort ? isPlaced : true;',
      ),
    ],
  },
  {
    name: 'a newest-first log left at its head where its reading was cut short',
    edits: [
      edit(
        'pass/audit-log/found-entries.ts',
        'if (!isInMidst) return this.leftAt',
        'if (!isInMidst || left !== undefined) return this.leftAt',
      ),
    ],
    tests: ['pass/audit-log/read-entries.test.ts'],
  },
  {
    name: 'what was told of a log passed over without meeting its first entry',
    edits: [
      edit('pass/audit-log/walk-log.ts', '|| walked.reachesHead);', '|| position?.head !== undefined);'),
      edit(
        'pass/audit-log/walk-log.ts',
        'if (walked.reachesHead && !isMet())',
        'if (tail !== undefined && !isMet())',
      ),
    ],
    tests: ['pass/audit-log/read-entries.test.ts'],
  },
  {
    name: 'every unknown audit entry taken for new',
    edits: [edit('pass/audit-log/placed-entries.ts', "age === 'new' ||\n", 'age !== undefined ||\n')],
  },
  {
    name: 'tasks in audit entries told of a neighbour project',
    edits: [
      edit(
        'pass/announce.ts',
        'tasks.push({ id, projectId });',
        'tasks.push({ id, projectId: [...named][0] ?? projectId });',
      ),
    ],
  },
];
