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
        'for (const delivery of settler.open) await settler.failed(delivery, { reason });',
        'for (const delivery of all) await settler.failed(delivery, { reason });',
      ),
    ],
  },
  {
    name: 'the outcome of a post for those of the post begun last',
    edits: [
      edit(
        'delivery/deliver-batch.ts',
        '  let isLate = false;\n',
        '  let isLate = false;\n  let last: Job | undefined;\n',
      ),
      edit(
        'delivery/deliver-batch.ts',
        '    const began = clock();\n    settler',
        '    const began = clock();\n    last = job;\n    settler',
      ),
      edit(
        'delivery/deliver-batch.ts',
        'await conclude(all, outcome);',
        'await conclude(last.deliveries, outcome);',
      ),
    ],
  },
];
