import { type Bug, edit } from './bug.ts';

/** Bugs that take different bytes for the same, or more bytes than were kept. */
export const DIGEST_BUGS: readonly Bug[] = [
  {
    name: 'same tasks taken for a same project',
    edits: [
      edit(
        'pass/look.ts',
        'digest: listed && listed.digest === digests.record ? digests.tasks : undefined',
        'digest: digests.tasks',
      ),
    ],
  },
  {
    name: 'a list known by its first page',
    edits: [
      edit(
        'pass/reading/read-tasks.ts',
        'digest: digests.length === 1 ? digests[0] : digest(digests)',
        'digest: digests[0]',
      ),
    ],
  },
  {
    name: 'a digest kept though an archived value was',
    edits: [
      edit(
        'pass/commit.ts',
        'tasks.digest !== undefined && content && areEqual(content.tasks, tasks.tasks)',
        'tasks.digest !== undefined && content !== undefined',
      ),
    ],
    tests: ['pass/commit.test.ts'],
  },
  {
    name: 'the digest of the whole kept with a step of a commit',
    edits: [
      edit(
        'pass/commit.ts',
        'const digests = isWhole ? digestsOf(whole) : {};',
        'const digests = digestsOf(whole);',
      ),
    ],
    tests: ['pass/steps.test.ts'],
  },
];
