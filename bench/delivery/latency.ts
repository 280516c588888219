import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleep } from '../../functions/basics/system.ts';
import { createPublish, type Publish } from '../../functions/handlers/create-publish.ts';
import { QUEUE_SCHEMA } from '../../functions/queue/sqlite.ts';
import { encode } from '../../functions/store/codec.ts';
import { type Database, openDatabase } from '../../functions/store/sqlite/database.ts';
import { sqliteEndpointRows, sqliteSlots } from '../../functions/store/sqlite/endpoints.ts';
import { sqliteJournal } from '../../functions/store/sqlite/journal.ts';
import { DELIVERIES_SCHEMA, SNAPSHOTS_SCHEMA } from '../../functions/store/sqlite/schema.ts';
import { sqliteDeliveries } from '../../functions/store/sqlite/store.ts';
import { openQueues } from '../../local/data/store.ts';
import { Delivering } from '../../local/loops/delivering.ts';
import { Feed } from '../../local/loops/feed.ts';
import { Topic } from '../../local/loops/topic.ts';
import { Metrics } from '../../local/operate/metrics.ts';
import { eventOf, processorMs, SECRET } from './given.ts';

export interface Latency {
  /** ms from the commit of each event until its first attempt at an endpoint, sorted. */
  readonly waits: readonly number[];
  /** The number of deliveries that should come. */
  readonly wanted: number;
  /** Processor time of everything that runs, per second. */
  readonly processorMs: number;
}

/** How long it waits, in ms, for the deliveries that were sent last. */
const TIMEOUT_MS = 10_000;
const LOG = { info: () => {}, warn: () => {}, error: () => {} };

/** Runs the parts of a local run over a SQLite file and real HTTP. Events are committed at this rate, and
 *  each is wanted by `share` of the endpoints. */
export async function measureLatency(
  options: { readonly endpoints: number; readonly perSecond: number; readonly seconds: number },
  share: 'all' | 'one',
): Promise<Latency> {
  const { endpoints, perSecond, seconds } = options;
  const receiver = fork(new URL('receiver.ts', import.meta.url), { serialization: 'advanced' });
  const [port] = (await once(receiver, 'message')) as [number];
  const arrivals = new Map<string, number>();
  receiver.on('message', ([path, id, at]: [string, string, number]) => {
    const key = `${path.slice(1)} ${id}`;
    if (!arrivals.has(key)) arrivals.set(key, at);
  });
  const directory = mkdtempSync(join(tmpdir(), 'changewire-bench-'));
  const database = openDatabase(join(directory, 'store.sqlite'), [
    SNAPSHOTS_SCHEMA,
    DELIVERIES_SCHEMA,
    QUEUE_SCHEMA,
  ]);
  const run = await startRun(database, endpoints, share, port);
  try {
    const commits = new Map<string, number>();
    const began = performance.now();
    const cpu = process.cpuUsage();
    for (let number = 0; number < perSecond * seconds; number++) {
      await sleep(Math.max(0, began + (number * 1000) / perSecond - performance.now()));
      commits.set(commit(database, number), performance.timeOrigin + performance.now());
      // A local run does the same after each commit (`waking`).
      run.wake();
    }
    const spent = processorMs(cpu);
    const wanted = commits.size * (share === 'all' ? endpoints : 1);
    const end = performance.now() + TIMEOUT_MS;
    while (arrivals.size < wanted && performance.now() < end) await sleep(50);
    const waits = [...arrivals].map(([key, at]) => at - (commits.get(key.split(' ')[1] ?? '') ?? Number.NaN));
    return { wanted, waits: waits.toSorted((one, other) => one - other), processorMs: spent / seconds };
  } finally {
    await run.stop();
    database.file.close();
    receiver.disconnect();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function startRun(database: Database, endpoints: number, share: 'all' | 'one', port: number) {
  const [deliveries, clock] = [sqliteDeliveries(database), Date.now];
  const queues = openQueues(database.file, clock);
  const topic = new Topic({ queue: queues.events, deliveries, clock });
  const configured = Array.from({ length: endpoints }, (_, index) => {
    const filter = share === 'all' ? {} : { processes: [`process-${index}`] };
    return { name: `e${index}`, kind: 'webhook', filter } as const;
  });
  const secrets = {
    nameOf: (name: string) => name,
    putting: () => '',
    read: async (name: string) =>
      JSON.stringify({ url: `http://127.0.0.1:${port}/${name}`, secrets: [SECRET] }),
  };
  const delivering = new Delivering({
    ...{ configured, deliveries, queues, secrets, clock, sleep, log: LOG },
    ...{ endpoints: sqliteEndpointRows(database), slots: sqliteSlots(database) },
    linkTemplates: [],
    moveToFailed: async () => undefined,
    warn: () => undefined,
    metrics: new Metrics('0.0.0', clock),
  });
  await delivering.recover(true);
  delivering.start();
  const publish: Publish = createPublish({
    sns: topic as unknown as Parameters<typeof createPublish>[0]['sns'],
    ...{ topicArn: topic.arn, sleep, random: Math.random, log: LOG },
    reject: async () => undefined,
  });
  const feed = new Feed({ journal: sqliteJournal(database), publish, sleep, onNotice: () => {} });
  return {
    wake: () => feed.wake(),
    async stop() {
      await feed.stop();
      await delivering.stop();
    },
  };
}

/** Commits one event. @returns its id */
function commit({ sql }: Database, number: number): string {
  const event = eventOf(number);
  const now = Date.now();
  sql.run`INSERT INTO change (process, key, at, events)
    VALUES ('W#eu#P#p', ${`CHANGE#${now}#${number}`}, ${now}, ${encode([event])})`;
  return event.id;
}
