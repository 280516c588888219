import { type Bug, edit } from '../bug.ts';

export const DELIVERY: readonly Bug[] = [
  {
    name: 'a dead letter that could not be written is gone',
    tests: ['delivery/row-settler.test.ts'],
    edits: [
      edit(
        'delivery/settlers.ts',
        '      deliveries.bury(this.#endpoint, held.id, { at: clock(), reason }),\n',
        '      deliveries\n        .bury(this.#endpoint, held.id, { at: clock(), reason })\n' +
          '        .catch(() => deliveries.remove(this.#endpoint, [held.id])),\n',
      ),
    ],
  },
  {
    name: 'a message whose visibility could not be set is gone',
    edits: [
      edit('delivery/settlers.ts', '    this.#again.push(held.id);\n    try {', '    try {'),
      edit(
        'delivery/settlers.ts',
        'queue.extend(message, pause);\n',
        'queue.extend(message, pause);\n      this.#again.push(held.id);\n',
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
