import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { codeSeed } from './test/kit/code-seed.ts';

/** What takes longest begins first, so that no worker has it left to do alone at the end. */
const FIRST = [
  'local/endpoints',
  'console/browser',
  'cli/daily',
  'simulation/simulation',
  'local/main',
  'infra/cli',
  'pass/large',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) =>
      FIRST.findLastIndex(name => moduleId.endsWith(`/test/${name}.test.ts`));
    const isFirst = (file: TestSpecification) => place(file) >= 0;
    const [first = [], rest = []] = [files.filter(isFirst), files.filter(file => !isFirst(file))];
    return [...first.toSorted((one, other) => place(one) - place(other)), ...(await super.sort(rest))];
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // It needs a stack, and is started by what deploys one.
    exclude: ['test/deployed/contract/**', 'node_modules/**'],
    env: { CODE_SEED: String(codeSeed(Date.now())) },
    setupFiles: ['test/kit/property-seed.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // One more than CI has cores: what starts processes waits for them most of the time.
    maxWorkers: 3,
    // All files of a worker share one instance of each module: to load them takes longer than most tests.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', ['json', { outputFile: 'test-report.json' }]],
    coverage: {
      provider: 'istanbul',
      include: ['functions/**/*.ts', 'receiver/**/*.ts'],
      reporter: ['text-summary', 'json'],
      reportsDirectory: 'coverage',
      thresholds: { lines: 95, branches: 95 },
    },
  },
});
