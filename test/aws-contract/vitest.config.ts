import { defineConfig } from 'vitest/config';
import { optionsOfTests } from './account.ts';
import { CaseReporter } from './reporter.ts';

/** For `npm run contract:aws` alone (main.ts). */
export default defineConfig({
  root: import.meta.dirname,
  cacheDir: '../../node_modules/.vite',
  test: {
    include: ['*.contract.ts'],
    testTimeout: 600_000,
    hookTimeout: 300_000,
    // A case that differs is repeated: AWS promises little at once. The emulator does not vary.
    retry: optionsOfTests().endpoint === undefined ? 1 : 0,
    maxWorkers: 4,
    // Each has queues, tables or mappings of its own.
    maxConcurrency: 8,
    reporters: [new CaseReporter()],
  },
});
