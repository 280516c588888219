import { type Bug, edit } from '../bug.ts';

export const DELIVERY: readonly Bug[] = [
  {
    name: 'delivered ones fail with the rest of their batch',
    edits: [
      edit(
        'delivery/deliver-batch.ts',
        'for (const record of settler.open) await settler.failed(record, { reason });',
        'for (const record of records) await settler.failed(record, { reason });',
      ),
    ],
  },
  {
    name: 'the outcome of a post for those of the post begun last',
    edits: [
      edit(
        'delivery/deliver-batch.ts',
        '  #rest: Rest | undefined;\n\n',
        '  #rest: Rest | undefined;\n  #job: Job | undefined;\n\n',
      ),
      edit(
        'delivery/deliver-batch.ts',
        'await this.#conclude(job.records, outcomeOf(await this.#poster.post(secret.url, request)));',
        'this.#job = job;\n' +
          '    const outcome = outcomeOf(await this.#poster.post(secret.url, request));\n' +
          '    await this.#conclude(this.#job.records, outcome);',
      ),
    ],
  },
];
