import { type Bug, edit } from './bug.ts';

/** Bugs that show only beside the last release: today's functions write what only they read. */
export const RELEASE_BUGS: readonly Bug[] = [
  {
    name: 'snapshots in a format that the last release does not read',
    edits: [
      edit('store/codec.ts', 'tasks: [...content.tasks]', 'tasks: { list: [...content.tasks] }'),
      edit(
        'store/codec.ts',
        'new Map(tasks)',
        'new Map(Array.isArray(tasks) ? tasks : (tasks as { list: typeof tasks }).list)',
      ),
    ],
  },
  {
    name: 'deliveries addressed by another attribute than in the last release',
    edits: [edit('delivery/queues.ts', "const ENDPOINT = 'endpoint'", "const ENDPOINT = 'to'")],
  },
];
