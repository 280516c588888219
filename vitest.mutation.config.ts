import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    reporters: [],
    setupFiles: [resolve(import.meta.dirname, 'test/mutation/setup.ts')],
    env: { TEST_TABLE: 'model' },
  },
});
