import { defineConfig } from 'vitest/config';

/** For the deployed test alone, which starts it (`scenario/contract.ts`). */
export default defineConfig({
  root: import.meta.dirname,
  test: { include: ['*.test.ts'], testTimeout: 120_000, hookTimeout: 30_000, reporters: ['default'] },
});
