import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { codeSeed } from './test/kit/code-seed.ts';

/** These take longest. They begin first, so that no worker has one left at the end. */
const FIRST = ['cli/daily', 'simulation/simulation', 'console/browser'];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) =>
      FIRST.findLastIndex(name => moduleId.endsWith(`/test/${name}.test.ts`));
    const isFirst = (file: TestSpecification) => place(file) >= 0;
    const [first = [], rest = []] = [files.filter(isFirst), files.filter(file => !isFirst(file))];
    return [...first.toSorted((one, other) => place(one) - place(other)), ...(await super.sort(rest))];
  }
}

/** Tests that take many seconds: processes, memory, hundreds of endpoints. CI runs them once: `vitest run --mode long`, one of the long proofs. */
const LONG = 'test/**/*.long.test.ts';

export default defineConfig(({ mode }) => ({
  test: {
    include: [mode === 'long' ? LONG : 'test/**/*.test.ts'],
    // The contract needs a stack, and is started by what deploys one.
    exclude: ['test/deployed/contract/**', 'node_modules/**', ...(mode === 'long' ? [] : [LONG])],
    env: { CODE_SEED: String(codeSeed(Date.now())) },
    setupFiles: ['test/kit/property-seed.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // One more than CI has cores: what starts processes waits for them most of the time.
    maxWorkers: 3,
    // All files of a worker share one instance of each module: to load them takes longer than most tests.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    reporters: [
      'default',
      ['json', { outputFile: mode === 'long' ? 'long-test-report.json' : 'test-report.json' }],
    ],
    coverage: {
      provider: 'istanbul',
      include: ['functions/**/*.ts', 'receiver/**/*.ts'],
      reporter: ['text-summary', 'json'],
      reportsDirectory: 'coverage',
      thresholds: { lines: 95, branches: 95 },
    },
  },
}));
