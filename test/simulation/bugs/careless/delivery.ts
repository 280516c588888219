import { type Bug, edit } from '../bug.ts';

export const DELIVERY: readonly Bug[] = [
  {
    name: 'delivered ones fail with the rest of their batch',
    edits: [
      edit(
        'delivery/deliver-batch.ts',
        '  const poster = dependencies.openPoster();',
        '  const all = settler.open;\n  const poster = dependencies.openPoster();',
      ),
      edit(
        'delivery/deliver-batch.ts',
        'for (const held of settler.open) await settler.failed(held, { reason });',
        'for (const held of all) await settler.failed(held, { reason });',
      ),
    ],
  },
  {
    name: 'the outcome of a post for those of the post begun last',
    edits: [
      edit(
        'delivery/deliver-batch.ts',
        '  #isLate = false;\n',
        '  #isLate = false;\n  #job: Job | undefined;\n',
      ),
      edit(
        'delivery/deliver-batch.ts',
        '    const began = clock();\n',
        '    const began = clock();\n    this.#job = job;\n',
      ),
      edit(
        'delivery/deliver-batch.ts',
        'await this.#conclude(all, outcome);',
        'await this.#conclude(this.#job.letters.map(({ held }) => held), outcome);',
      ),
    ],
  },
];
