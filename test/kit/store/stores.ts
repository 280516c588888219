import { dynamoStore } from '../../../functions/store/dynamo/store.ts';
import { openSqliteStore } from '../../../functions/store/sqlite/store.ts';
import type { Store } from '../../../functions/store/store.ts';
import { TABLES } from './tables.ts';

/** A store under test, of whatever kind, that is empty when it is opened. */
export interface TestStore extends Store {
  stop(): Promise<void>;
}

async function openInMemory(): Promise<TestStore> {
  const store = openSqliteStore(':memory:');
  return { ...store, stop: async () => store.close() };
}

/** The stores that must behave alike. */
export const STORES: readonly (readonly [name: string, open: () => Promise<TestStore>])[] = [
  ...TABLES.map(([name, open]) => {
    const openStore = async (): Promise<TestStore> => {
      const { stop, ...table } = await open();
      let drawn = 0;
      // No two callers get the same name or revision by them.
      const random = () => (++drawn % 1_000) / 1_000;
      const clock = () => Date.now() + drawn;
      const timing = { ...table.timing, random, clock };
      return { ...dynamoStore({ ...table, timing }), stop };
    };
    return [name, openStore] as const;
  }),
  ['SQLite', openInMemory],
];
