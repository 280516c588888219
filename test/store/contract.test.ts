import { afterAll, beforeAll, describe } from 'vitest';
import { STORES, type TestStore } from '../kit/store/stores.ts';
import { deliveriesContract } from './contract/deliveries.ts';
import { endpointRowsContract } from './contract/endpoints.ts';
import { deliveryLeasesContract } from './contract/leases-of-deliveries.ts';
import { slotsContract } from './contract/slots.ts';
import { snapshotsContract } from './contract/snapshots.ts';
import { threadsContract } from './contract/threads.ts';
import { workspaceRowsContract } from './contract/workspaces.ts';

const ALWAYS = { since: 0, until: Number.MAX_SAFE_INTEGER, order: 'oldest-first' } as const;

/** What every store must do. Other ports have their contract beside their tests: `journal.test.ts`, `roster.test.ts`, `tick.test.ts`, `actions.test.ts`. */
describe.each(STORES)('the store in %s', (name, open) => {
  let store: TestStore;
  beforeAll(async () => {
    store = await open();
  });
  afterAll(() => store?.stop());

  snapshotsContract(() => ({
    snapshots: store.snapshots,
    journal: async processId => {
      const records = store.journal.search({ ...ALWAYS, processes: [{ workspace: 'eu', processId }] });
      return (await Array.fromAsync(records)).flatMap(record => record.events());
    },
  }));

  // A DynamoDB takes 10 ms and more for a write.
  deliveriesContract(() => store.deliveries, name.includes('DynamoDB') ? 600 : 3_000);

  deliveryLeasesContract(() => store.deliveries, name.includes('DynamoDB') ? 5 : 100);

  endpointRowsContract(() => store.endpoints);

  slotsContract(() => store.slots);

  workspaceRowsContract(() => store.workspaces);

  threadsContract(() => store, open);
});
