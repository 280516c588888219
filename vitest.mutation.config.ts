import { resolve } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    // What these hold takes many seconds, or needs memory to itself; `npm test` runs them.
    exclude: [...configDefaults.exclude, '**/pass/{idle,large,memory,*.property}.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    reporters: [],
    setupFiles: [resolve(import.meta.dirname, 'test/mutation/setup.ts')],
    env: { TEST_TABLE: 'model' },
  },
});
