import { basename, resolve } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type Reporter, type TestSpecification } from 'vitest/node';
import { keepsWorkers } from './test/mutation/kept-worker.ts';

/** What these hold takes many seconds, real servers or memory to itself; `npm test` runs them. */
const HEAVY = [
  '**/{memory.long,publish,publish-time}.test.ts',
  '!(receiver|operations|changes)/**/*.property.test.ts',
];

/** The first failing test ends the run of a mutant: what takes longest comes last. */
const LAST = [
  ...'assertions orders fields strange-service batch webhook post audit bounded flood'.split(' '),
  ...['follow.property', 'secrecy.property', 'due.property'],
];

/** The test files that noticed a mutant in this process, the latest first. */
const killers: string[] = [];

const remembersKillers: Reporter = {
  onTestRunEnd(modules) {
    for (const { moduleId } of modules.filter(module => module.state() === 'failed')) {
      if (killers.includes(moduleId)) killers.splice(killers.indexOf(moduleId), 1);
      killers.unshift(moduleId);
    }
  },
};

/** The file named like the code that is changed, then what noticed other mutants, then the rest. */
class LikeliestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const changed = (this.ctx.config.related ?? []).map(file => basename(file, '.ts'));
    const place = ({ moduleId }: TestSpecification): number => {
      const name = basename(moduleId, '.test.ts');
      if (changed.includes(name)) return -1;
      if (LAST.includes(name)) return killers.length + 1 + LAST.indexOf(name);
      return killers.includes(moduleId) ? killers.indexOf(moduleId) : killers.length;
    };
    return files.toSorted((one, other) => place(one) - place(other));
  }
}

/** The folders of test/ whose tests hold the room. */
const folders = process.env.MUTATED_BY?.split(',') ?? [];

export default defineConfig({
  plugins: [keepsWorkers],
  test: {
    // `assertions.test.ts` breaks the assertions of all rooms.
    include: [...folders.map(folder => `${folder}/**/*.test.ts`), 'assertions.test.ts'],
    exclude: [...configDefaults.exclude, ...HEAVY],
    sequence: { sequencer: LikeliestFirst },
    // All files share one instance of each module: to load them takes longer than most tests.
    isolate: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    reporters: [remembersKillers],
    setupFiles: [resolve(import.meta.dirname, 'test/mutation/setup.ts')],
    env: { TEST_TABLE: 'model' },
  },
});
