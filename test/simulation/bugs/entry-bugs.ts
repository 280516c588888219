import { type Bug, edit } from './bug.ts';

/** Bugs in which entries of the audit log are told. */
export const ENTRY_BUGS: readonly Bug[] = [
  {
    name: 'told audit entries not remembered',
    edits: [
      edit(
        'snapshots/announcements.ts',
        '...entryPuts(table, process, entries, said)',
        '...entryPuts(table, process, [], said)',
      ),
    ],
  },
  {
    name: 'a log that was not met read no further',
    edits: [
      edit(
        'reading/read-entries.ts',
        'const isMet = from === whole || found.isMet;',
        'const isMet = from !== undefined;',
      ),
    ],
  },
  {
    name: 'every unknown audit entry taken for new',
    edits: [edit('reading/placed-entries.ts', "age === 'new' ||\n", 'age !== undefined ||\n')],
  },
  {
    name: 'tasks in audit entries told of a neighbour project',
    edits: [
      edit(
        'telling/entry-records.ts',
        'tasks.push({ id, projectId });',
        'tasks.push({ id, projectId: [...named][0] ?? projectId });',
      ),
    ],
  },
];
