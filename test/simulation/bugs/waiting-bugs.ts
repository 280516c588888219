import { type Bug, edit } from './bug.ts';

/** Bugs in routing, in pending deliveries, and in replays. */
export const WAITING_BUGS: readonly Bug[] = [
  {
    name: 'of messages that are not in their queues the first alone',
    edits: [
      edit('handlers/create-route.ts', 'unsentOf(routed, indexes)', 'unsentOf(routed, indexes.slice(0, 1))'),
    ],
  },
  {
    name: 'a row that nobody is told of',
    edits: [
      edit(
        'delivery/settlers.ts',
        '    await this.#health.backlogAdded(due, first);\n',
        '    if (all.some(({ id }) => this.#messageOf(id).receives === 1)) await this.#health.backlogAdded(due, first);\n',
      ),
    ],
  },
  {
    name: 'a row that an earlier run wrote left behind a delivery',
    edits: [
      edit(
        'delivery/settlers.ts',
        'return this.#messageOf(id).receives > 1;',
        'return this.#messageOf(id).receives > 2;',
      ),
    ],
  },
  {
    name: 'what was added behind a look forgotten',
    tests: ['delivery/drain.test.ts'],
    edits: [
      edit(
        'delivery/health.ts',
        'if (waiting?.added !== added) return undefined;',
        'if (!waiting) return undefined;',
      ),
    ],
  },
  {
    name: 'a whole slice of rows gone with the first that is delivered',
    edits: [
      edit(
        'delivery/settlers.ts',
        '    const places = all.map(({ id }) => id);\n',
        '    const places = [...this.#open.keys(), ...all.map(({ id }) => id)];\n',
      ),
    ],
  },
  {
    name: 'the last event of each slice left out of a replay',
    edits: [
      edit(
        'operations/replay.ts',
        'await deliveries.add(wanted.map(',
        'await deliveries.add(wanted.slice(0, -1).map(',
      ),
    ],
  },
];
