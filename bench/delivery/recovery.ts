import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drain } from '../../functions/delivery/drain.ts';
import { openFlood, openWindow, webhookJobs } from '../../functions/delivery/kinds.ts';
import { STANDARD_TIMING } from '../../functions/delivery/retries.ts';
import type { Sender } from '../../functions/delivery/sender.ts';
import { type Database, openDatabase } from '../../functions/store/sqlite/database.ts';
import { sqliteEndpointRows, sqliteSlots } from '../../functions/store/sqlite/endpoints.ts';
import { DELIVERIES_SCHEMA, SNAPSHOTS_SCHEMA } from '../../functions/store/sqlite/schema.ts';
import { sqliteDeliveries } from '../../functions/store/sqlite/store.ts';
import { Scheduler, virtualTimers } from '../../test/simulation/scheduler.ts';
import { eventOf, processorMs, SECRET } from './given.ts';

const ANSWER_MS = 20;
const RUN_MS = 180_000;
const LOG = { info: () => {}, warn: () => {}, error: () => {} };

/** An endpoint that comes back while a number of deliveries wait in rows of a SQLite file. Time is virtual,
 *  and the receiver takes 20 ms of it for an answer, so the processor time is that of rows and
 *  signatures, without HTTP. */
export async function measureRecovery(
  rows: number,
  perSecond: number,
): Promise<{ readonly seconds: number; readonly msPerDelivery: number }> {
  const directory = mkdtempSync(join(tmpdir(), 'changewire-bench-'));
  const database = openDatabase(join(directory, 'store.sqlite'), [SNAPSHOTS_SCHEMA, DELIVERIES_SCHEMA]);
  const scheduler = new Scheduler(Date.UTC(2026, 10, 22));
  const restore = virtualTimers(scheduler);
  try {
    return await drainAll(database, scheduler, { rows, perSecond });
  } finally {
    restore();
    database.file.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function drainAll(
  database: Database,
  scheduler: Scheduler,
  { rows, perSecond }: { readonly rows: number; readonly perSecond: number },
) {
  const deliveries = sqliteDeliveries(database);
  const registry = sqliteEndpointRows(database);
  const endpoint = { name: 'crm', kind: 'webhook', perSecond } as const;
  const began = scheduler.now;
  const all = Array.from({ length: rows }, (_, index) => eventOf(index));
  await deliveries.add(
    all.map(event => {
      const body = JSON.stringify(event);
      return { endpoint: 'crm', eventId: event.id, at: Number(event.sequence), body, attributes: {} };
    }),
  );
  const waiting = { added: 1, due: began, first: true };
  await registry.change('crm', () => ({ name: 'crm', settings: endpoint, health: { waiting } }));
  const clock = () => scheduler.now;
  const dependencies = {
    ...{ deliveries, clock, rows: registry, slots: sqliteSlots(database), ...senderOn(scheduler) },
    ...{ timing: STANDARD_TIMING, random: Math.random, run: 'run', log: LOG },
    sleep: (ms: number) => scheduler.sleep(ms),
    queues: { wake: async () => undefined },
    remaining: () => RUN_MS,
    count: () => undefined,
  };
  const cpu = process.cpuUsage();
  const turns = async (): Promise<void> => {
    while ((await deliveries.counts('crm')).pending > 0) await drain(endpoint, dependencies);
  };
  let isDone = false;
  void turns().finally(() => {
    isDone = true;
  });
  await scheduler.until(() => isDone, 'all are sent');
  const spent = processorMs(cpu);
  const seconds = (scheduler.now - began) / 1000;
  return { seconds, msPerDelivery: spent / rows };
}

function senderOn(scheduler: Scheduler): Sender {
  return {
    readSecret: async () => ({ url: 'https://crm.example/', secrets: [SECRET] }),
    doubtSecret: () => undefined,
    openPoster: () => ({
      async post() {
        await scheduler.sleep(ANSWER_MS);
        return { status: 204, retryAfter: undefined, date: undefined, at: scheduler.now };
      },
      close: async () => undefined,
    }),
    jobsOf: webhookJobs,
    openFlood: endpoint => openFlood({ endpoint }),
    openWindow: endpoint => openWindow({ endpoint }),
  };
}
