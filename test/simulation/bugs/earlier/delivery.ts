import { type Bug, edit } from '../bug.ts';

export const DELIVERY: readonly Bug[] = [
  {
    name: 'a dead letter that could not be written is gone',
    edits: [
      edit(
        'delivery/queue-settler.ts',
        "      this.#stays(\n        held,\n        'A delivery that was given up could not be written down; it stays in the queue.',\n        error,\n      );",
        '      this.#open.delete(held.id);\n      log.error(String(error));',
      ),
    ],
  },
  {
    name: 'a message whose visibility could not be set is gone',
    edits: [
      edit('delivery/queue-settler.ts', '    this.#again.push(held.id);\n    try {', '    try {'),
      edit(
        'delivery/queue-settler.ts',
        'queues.hide(record, seconds);\n',
        'queues.hide(record, seconds);\n      this.#again.push(held.id);\n',
      ),
    ],
  },
  {
    name: 'messages behind a slowed one taken for delivered',
    edits: [
      edit(
        'delivery/deliver-batch.ts',
        'if (this.#isClosed) return this.#settle(all, held => settler.waits(held));',
        'if (this.#isClosed) return settler.delivered(all);',
      ),
    ],
  },
];
