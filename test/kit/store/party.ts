import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { openSqliteStore } from '../../../functions/store/sqlite/store.ts';
import { delivery } from './delivery.ts';
import { AT, commitOf, content, event, snapshot } from './subject.ts';

export const PROCESS = { workspace: 'eu', processId: 'p' };

export interface Party {
  readonly path: string;
  readonly name: string;
  readonly rounds: number;
  /** Each party adds one, and waits for the other. */
  readonly ready: SharedArrayBuffer;
}

/** What one of two connections did to a file. */
export interface Done {
  /** The times of the slots that it booked. */
  readonly slots: readonly number[];
  /** The events that it took and removed. */
  readonly taken: readonly string[];
  /** How often it changed the project that both change, and how often the other connection was first. */
  readonly committed: number;
  readonly conflicts: number;
}

/** Writes to the file through a connection of its own, while the other party does the same. */
export async function work({ path, name, rounds, ready }: Party): Promise<Done> {
  const store = openSqliteStore(path);
  const { snapshots, deliveries, endpoints, slots } = store;
  const done = { slots: [] as number[], taken: [] as string[], committed: 0, conflicts: 0 };
  const waiting = new Int32Array(ready);
  if (Atomics.add(waiting, 0, 1) === 0) Atomics.wait(waiting, 0, 1);
  else Atomics.notify(waiting, 0);
  for (let round = 0; round < rounds; round += 1) {
    await endpoints.change('crm', row => ({ name: 'crm', health: {}, addedAt: (row?.addedAt ?? 0) + 1 }));
    for (let slot = 0; slot < 10; slot += 1)
      done.slots.push((await slots.reserveSlot('crm', 1, AT, 60_000)) ?? -1);
    await deliveries.add([delivery(`${name}.${round}`)]);
    const lease = { token: `${name}${round}`, now: AT, until: AT + 1, limit: 2, bytes: 1_000 };
    const leased = await deliveries.lease('crm', lease);
    const places = leased.map(({ place }) => place);
    await deliveries.endLease('crm', { token: lease.token, now: AT, places });
    done.taken.push(...leased.map(({ eventId }) => eventId));
    const expected = await snapshots.load(PROCESS, 'shared');
    const version = (expected?.version ?? AT) + 1;
    const next = snapshot(version, content({ version }));
    const request = commitOf('shared', next, { expected, version, events: [event(version)] });
    const result = await snapshots.commit(PROCESS, request);
    if (result === 'committed') done.committed += 1;
    else done.conflicts += 1;
  }
  store.close();
  return done;
}

if (!isMainThread && (workerData as { party?: Party } | null)?.party)
  parentPort?.postMessage(await work((workerData as { party: Party }).party));
