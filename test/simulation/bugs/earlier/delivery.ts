import { type Bug, edit } from '../bug.ts';

export const DELIVERY: readonly Bug[] = [
  {
    name: 'a dead letter that could not be written is gone',
    edits: [
      edit(
        'delivery/settler.ts',
        '      this.#again.push(record.messageId);\n      log.error(',
        '      log.error(',
      ),
    ],
  },
  {
    name: 'a message whose visibility could not be set is gone',
    edits: [
      edit('delivery/settler.ts', '    this.#again.push(record.messageId);\n    try {', '    try {'),
      edit(
        'delivery/settler.ts',
        'record.receiptHandle, seconds);\n',
        'record.receiptHandle, seconds);\n      this.#again.push(record.messageId);\n',
      ),
    ],
  },
  {
    name: 'messages behind a slowed one taken for delivered',
    edits: [
      edit(
        'delivery/deliver-batch.ts',
        'if (this.#rest) return this.#settle(job.records, this.#rest);',
        'if (this.#rest) return this.#settler.delivered(job.records);',
      ),
    ],
  },
];
