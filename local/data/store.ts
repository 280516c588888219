import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../../functions/basics/clock.ts';
import { placeOf } from '../../functions/delivery/read-event.ts';
import type { NewDelivery } from '../../functions/model/delivery.ts';
import type { Message } from '../../functions/queue/queue.ts';
import { QUEUE_SCHEMA, recoverMessages, SqliteQueue } from '../../functions/queue/sqlite.ts';
import type { Keep } from '../../functions/store/limits.ts';
import {
  openSqliteStore,
  type SqliteDeliveries,
  type SqliteStore,
} from '../../functions/store/sqlite/store.ts';
import type { DataDirectory } from './data-directory.ts';
import { STORE_FILE } from './store-file.ts';

/** The data of a run, in one file. */
export interface Store extends SqliteStore {
  readonly queues: LocalQueues;
  /** Whether another process has written into the file since the last call. */
  readonly isChanged: () => boolean;
}

/** The queues of a run. */
export type LocalQueues = Readonly<Record<keyof typeof QUEUES, SqliteQueue>>;

/** The messages per run, and the concurrent runs per group. `visibility`, in s, is longer than any run: after that, a
 *  message is received again that could be neither deleted nor returned, as on a full disk. At a start, the messages
 *  that an earlier process had received become visible again. */
export const QUEUES = {
  passes: { batch: 1, visibility: 3_600 },
  events: { batch: 100, visibility: 120 },
  deliveries: { batch: 50, perGroup: 2, visibility: 360 },
  chat: { batch: 100, perGroup: 1, visibility: 360 },
  drains: { batch: 1, perGroup: 1, visibility: 360 },
} as const satisfies Record<
  string,
  { readonly batch: number; readonly perGroup?: number; readonly visibility: number }
>;

/** The file of earlier versions, whose format is no longer supported. */
const FORMER_FILE = 'table.sqlite';

/** Deletes messages whose deliveries are also in rows: a run was killed between writing the row and deleting the
 *  message. */
const DELETE_KEPT = `DELETE FROM message WHERE queue IN ('deliveries', 'chat') AND EXISTS (
  SELECT 1 FROM pending WHERE endpoint = message."group"
    AND event_id = CASE WHEN json_valid(message.body) THEN json_extract(message.body, '$.id') END)`;

/** Releases the leases of the last run, so that passes need not wait a minute for their end, and its shares of the
 *  workspaces. */
const RECOVER_PASSES = `UPDATE pass SET until = 0 WHERE owner IS NOT NULL;
  UPDATE workspace SET row = json_set(row, '$.shares', json('{}'));`;

/** Opens the store of an earlier run, or creates it. @throws if the file is of another version */
export function openStore(
  { closers, directory }: { closers: AsyncDisposableStack; directory: DataDirectory },
  { clock = Date.now, keep }: { readonly clock?: Clock; readonly keep?: Keep | undefined } = {},
): Store {
  const former = directory.file(FORMER_FILE);
  if (existsSync(former))
    throw new Error(
      `${directory.path} contains the data of an older version (${FORMER_FILE}), which is no longer supported. It was not ` +
        'changed, and its undelivered events stay there. Choose another directory with --data DIR, or move this one away; ' +
        'the first pass then makes a new baseline.',
    );
  const path = directory.lasting ? directory.file(STORE_FILE) : ':memory:';
  const store = openSqliteStore(path, { clock, keep, schemas: [QUEUE_SCHEMA] });
  closers.defer(store.close);
  const { file } = store.database;
  recover(file, clock());
  const queues = openQueues(file, clock);
  return { ...store, queues, deliveries: withQueued(store.deliveries, queues), isChanged: changesOf(file) };
}

/** Resumes what the last run left. */
export function recover(file: DatabaseSync, now: number): void {
  recoverMessages(file, now);
  file.exec(RECOVER_PASSES);
  file.exec(DELETE_KEPT);
}

/** The queues in a file. */
export function openQueues(file: DatabaseSync, clock: Clock): LocalQueues {
  const queues = Object.entries(QUEUES).map(([name, options]) => [
    name,
    new SqliteQueue(file, name, { ...options, clock }),
  ]);
  return Object.fromEntries(queues);
}

/** Counts and finds messages in the queues of deliveries as pending deliveries. */
export function withQueued(
  deliveries: SqliteDeliveries,
  queues: Pick<LocalQueues, 'deliveries' | 'chat'>,
): SqliteDeliveries {
  const queued = [queues.deliveries, queues.chat];
  return {
    ...deliveries,
    find: async (endpoint, delivery) => {
      const row = await deliveries.find(endpoint, delivery);
      if (row) return row;
      const messages = queued.flatMap(queue => queue.messagesOf(endpoint, delivery.eventId));
      const found = messages.find(({ body }) => placeOf(body)?.id === delivery.eventId);
      if (!found) return undefined;
      const { id, sentAt } = found;
      return {
        ...queuedDelivery(endpoint, found),
        ...{ place: id, due: sentAt, attempts: 0, triedAt: undefined },
      };
    },
    counts: async (endpoint, atMost = Number.POSITIVE_INFINITY) => {
      const { pending, oldest, ...rest } = await deliveries.counts(
        endpoint,
        Math.min(atMost, Number.MAX_SAFE_INTEGER),
      );
      const sizes = queued.map(queue => queue.sizeOf(endpoint));
      const times = [oldest, ...sizes.map(each => each.oldest)].filter(time => time !== undefined);
      return {
        ...rest,
        pending: Math.min(
          atMost,
          sizes.reduce((sum, { count }) => sum + count, pending),
        ),
        oldest: times.length === 0 ? undefined : Math.min(...times),
      };
    },
    endpoints: async () =>
      [
        ...new Set([...(await deliveries.endpoints()), ...queued.flatMap(queue => queue.groups())]),
      ].toSorted(),
  };
}

/** The delivery to an endpoint in a message. */
export function queuedDelivery(endpoint: string, { id, body, sentAt, attributes }: Message): NewDelivery {
  const place = placeOf(body);
  const replay = attributes.replay !== undefined;
  return { endpoint, eventId: place?.id ?? id, at: place?.at ?? sentAt, body, attributes: {}, replay };
}

/** SQLite counts the writes of all other connections. */
function changesOf(file: DatabaseSync): () => boolean {
  const version = () => Number(file.prepare('PRAGMA data_version').get()?.data_version);
  let seen = version();
  return () => {
    const before = seen;
    seen = version();
    return seen !== before;
  };
}
