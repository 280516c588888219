import { type Bug, edit } from './bug.ts';

/** Bugs that take different bytes for the same, or more bytes than were kept. */
export const DIGEST_BUGS: readonly Bug[] = [
  {
    name: 'same tasks taken for a same project',
    edits: [
      edit(
        'pass/observe.ts',
        'digest: isSameRecord ? known?.digests?.tasks : undefined',
        'digest: known?.digests?.tasks',
      ),
    ],
  },
  {
    name: 'a list known by its first page',
    edits: [
      edit(
        'reading/read-tasks.ts',
        'digest: pages.length === 1 ? first?.digest : digest(pages.map(page => page.digest))',
        'digest: first?.digest',
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
    tests: ['pass/kept-digests.test.ts'],
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
