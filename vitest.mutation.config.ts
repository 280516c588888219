import { basename, resolve } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What these hold takes many seconds, real servers or memory to itself; `npm test` runs them. */
const HEAVY =
  '**/{endless,idle,large,memory,*.property,five-endpoints,misbehaving,poller,publish,publish-time}.test.ts';

/** The first failing test ends the run of a mutant: what takes longest comes last. */
const LAST = ['fields', 'audit-purge', 'strange-service', 'faults', 'batch', 'webhook', 'post'].map(
  name => `${name}.test.ts`,
);

class QuickestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => LAST.indexOf(basename(moduleId));
    return files.toSorted((one, other) => place(one) - place(other));
  }
}

export default defineConfig({
  test: {
    include: process.env.MUTATED_BY?.split(',').map(folder => `${folder}/**/*.test.ts`) ?? [],
    exclude: [...configDefaults.exclude, HEAVY],
    sequence: { sequencer: QuickestFirst },
    // All files share one instance of each module: to load them takes longer than most tests.
    isolate: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    reporters: [],
    setupFiles: [resolve(import.meta.dirname, 'test/mutation/setup.ts')],
    env: { TEST_TABLE: 'model' },
  },
});
