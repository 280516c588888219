import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { PUBLISHER } from '../../../functions/store/sqlite/journal.ts';
import { openSqliteStore } from '../../../functions/store/sqlite/store.ts';
import { type Done, PROCESS, work } from '../../kit/store/party.ts';
import { AT } from '../../kit/store/subject.ts';
import { temporaryDirectory } from '../../kit/temporary.ts';

const ROUNDS = 150;

it('two connections to one file, of a run and a command, lose no change and do none twice', async () => {
  const path = join(temporaryDirectory(), 'data.sqlite');
  const store = openSqliteStore(path);
  const both = { path, rounds: ROUNDS, ready: new SharedArrayBuffer(4) };
  const worker = new Worker(new URL('../../kit/store/party.ts', import.meta.url), {
    workerData: { party: { ...both, name: 'command' } },
  });
  const answered = once(worker, 'message');
  const ours = await work({ ...both, name: 'run' });
  const [theirs] = (await answered) as [Done];

  expect((await store.endpoints.read('crm'))?.addedAt).toBe(2 * ROUNDS);
  const slots = [...ours.slots, ...theirs.slots];
  expect(slots.toSorted((one, other) => one - other)).toEqual(slots.map((_, index) => index));
  const left = await store.deliveries.due('crm', AT, 9_999);
  const seen = [...ours.taken, ...theirs.taken, ...left.map(({ eventId }) => eventId)];
  expect(seen.length).toBe(2 * ROUNDS);
  expect(new Set(seen).size).toBe(2 * ROUNDS);
  const committed = ours.committed + theirs.committed;
  expect(committed + ours.conflicts + theirs.conflicts).toBe(2 * ROUNDS);
  expect((await store.snapshots.load(PROCESS, 'shared'))?.version).toBe(AT + committed);
  const events = store.feed.after(store.feed.positionOf(PUBLISHER), 9_999);
  expect(events.length).toBe(committed);
  store.close();
});
