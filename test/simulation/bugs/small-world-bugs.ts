import { type Bug, edit } from './bug.ts';

/** Bugs that show in one order of calls, or behind one fault. */
export const SMALL_WORLD_BUGS: readonly Bug[] = [
  {
    name: 'a pass finished in SQLite under the lease of another',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the code has it
    edits: [edit('store/sqlite/leases.ts', ' AND (owner = ${owner} OR ended_by = ${owner})', '')],
    smallWorld: 'changes and changes, update project, one fault',
  },
  {
    name: 'a message that leaves the queue before its row is written',
    edits: [
      edit(
        'delivery/settlers.ts',
        'await this.ports.deliveries.add(all.map(delivery => ({ ...delivery, due })));',
        'void this.ports.deliveries.add(all.map(delivery => ({ ...delivery, due }))).catch(() => {});',
      ),
    ],
    smallWorld: 'delivery, refused',
  },
];
