import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    // All files of a worker share one instance of each module: to load them takes longer than most tests.
    isolate: false,
    reporters: ['default', ['json', { outputFile: 'test-report.json' }]],
    coverage: {
      provider: 'v8',
      include: ['functions/**/*.ts'],
      reporter: ['text-summary', 'json'],
      reportsDirectory: 'coverage',
      thresholds: { lines: 95, branches: 95 },
    },
  },
});
