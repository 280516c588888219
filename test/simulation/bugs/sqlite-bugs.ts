import { type Bug, edit } from './bug.ts';

/** Bugs in the store of one machine. */
export const SQLITE_BUGS: readonly Bug[] = [
  {
    name: 'a project created over a snapshot in SQLite',
    edits: [
      edit(
        'store/sqlite/projects.ts',
        "if (current !== expected?.version) return 'conflict';",
        "if (expected && current !== expected.version) return 'conflict';",
      ),
    ],
  },
  {
    name: 'a lease in SQLite that is taken before it ends',
    edits: [
      edit(
        'store/sqlite/leases.ts',
        'row.owner !== owner && end >= now &&',
        'row.owner !== owner && end >= until &&',
      ),
    ],
  },
  {
    name: 'progress saved in SQLite without asking whose lease it is',
    edits: [edit('store/sqlite/leases.ts', 'lease.mode} AND owner = ', "lease.mode} AND '' <> ")],
  },
  {
    name: 'an announcement in SQLite that follows none it knows',
    edits: [
      edit(
        'store/sqlite/announcements.ts',
        "if (readPart(database, process, 'announced') !== announced) return 'conflict';",
        '',
      ),
    ],
  },
  {
    name: 'deliveries removed in SQLite up to the last one that was sent',
    edits: [
      edit(
        'store/sqlite/deliveries.ts',
        'AND seq IN (SELECT CAST(value AS INTEGER)',
        'AND seq <= (SELECT max(CAST(value AS INTEGER))',
      ),
    ],
  },
  {
    name: 'part of a state in SQLite that is kept when it ends',
    edits: [
      edit(
        'store/sqlite/state.ts',
        'if (value === undefined) sql.run`DELETE',
        'if (value === undefined && name.length < 5) sql.run`DELETE',
      ),
    ],
  },
  {
    name: 'messages deleted in SQLite up to the one that was served',
    edits: [
      edit('queue/sqlite.ts', "'DELETE FROM message WHERE seq = ?'", "'DELETE FROM message WHERE seq <= ?'"),
    ],
  },
];
