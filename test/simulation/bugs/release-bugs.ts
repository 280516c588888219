import { type Bug, edit } from './bug.ts';

/** Bugs that show only while two releases run: a key with another format, without a migration of the rows that are there. */
export const RELEASE_BUGS: readonly Bug[] = [
  {
    name: 'emitted audit entries under another key than in the last release',
    edits: [edit('store/keys.ts', "AUDIT = 'AUDIT#'", "AUDIT = 'ENTRY#'")],
  },
  {
    name: 'rows of a backlog under another key than in the last release',
    edits: [edit('store/keys.ts', "PENDING = 'PENDING#'", "PENDING = 'WAITING#'")],
  },
];
