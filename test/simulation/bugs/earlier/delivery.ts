import { type Bug, edit } from '../bug.ts';

export const DELIVERY: readonly Bug[] = [
  {
    name: 'a dead letter that could not be written is gone',
    tests: ['delivery/row-settler.test.ts'],
    edits: [
      edit(
        'delivery/settlers.ts',
        '    return this.ports.deliveries.deadLetter(this.endpoint, id, death);\n',
        '    return this.ports.deliveries\n      .deadLetter(this.endpoint, id, death)\n' +
          '      .catch(() => this.ports.deliveries.remove(this.endpoint, [id]));\n',
      ),
    ],
  },
  {
    name: 'a message whose visibility could not be set is gone',
    edits: [
      edit(
        'delivery/settlers.ts',
        '    this.again.push(...messages.map(({ id }) => id));\n',
        '    const queue = {\n      ...this.#queue,\n      extend: (message: { receipt: string }, seconds: number) =>\n' +
          '        this.#queue.extend(message, seconds).then(() => this.again.push((message as Message).id)),\n    };\n',
      ),
      edit('delivery/settlers.ts', 'queue: this.#queue }, this.ports.log', 'queue }, this.ports.log'),
    ],
  },
  {
    name: 'messages behind a slowed one taken for delivered',
    edits: [
      edit(
        'delivery/deliver-batch.ts',
        "if (start === 'closed') return settler.waits(all);",
        "if (start === 'closed') return settler.delivered(all);",
      ),
    ],
  },
];
