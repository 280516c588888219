import { type Bug, edit } from './bug.ts';

/** Bugs in which entries of the audit log are told. */
export const ENTRY_BUGS: readonly Bug[] = [
  {
    name: 'told audit entries not remembered',
    edits: [
      edit(
        'store/dynamo/announcements.ts',
        '...entryPuts(process, entries, request)',
        '...entryPuts(process, [], request)',
      ),
    ],
  },
  {
    name: 'a log that was not met read no further',
    edits: [edit('pass/audit-log/read-audit.ts', 'isLost = !reading.isMet;', 'isLost = false;')],
  },
  {
    name: 'a newest-first log left at its head where its reading was cut short',
    edits: [
      edit(
        'pass/audit-log/log-reading.ts',
        "return !hasKnown || (this.order !== 'newest-first' &&",
        "return this.order !== 'newest-first' && (!hasKnown ||",
      ),
    ],
    tests: ['pass/audit-log/read-audit.test.ts'],
  },
  {
    name: 'a reading continued where its last page has other entries by now',
    edits: [
      edit(
        'pass/audit-log/log-reading.ts',
        'return new Set(this.walk.first).isDisjointFrom(new Set(unfinished.seen));',
        'return false;',
      ),
    ],
    tests: ['pass/audit-log/read-audit.test.ts'],
  },
  {
    name: 'every unknown audit entry taken for new',
    edits: [
      edit('pass/audit-log/log-reading.ts', "(item.age === 'new' || (", '(item.age !== undefined || ('),
    ],
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
