import { type Bug, edit } from '../bug.ts';

export const PASS: readonly Bug[] = [
  {
    name: 'tasks dated by the listing of their project',
    edits: [edit('pass/commit-changes.ts', 'tasks.readBefore),', 'source.readBefore),')],
  },
  {
    name: 'a project that failed not left for the next run',
    edits: [edit('pass/walk-projects.ts', '        setLeft(id, true);\n', '')],
  },
  {
    name: 'the overlap forgotten for skipped projects',
    edits: [
      edit(
        'pass/retried.ts',
        'listProjects(this.#pass, since === 0 ? undefined : since - settings.overlap)',
        'listProjects(this.#pass, since === 0 ? undefined : since)',
      ),
      edit('pass/retried.ts', 'const { state, settings } = this', 'const { state } = this'),
    ],
    tests: ['pass/skips.test.ts'],
  },
];
