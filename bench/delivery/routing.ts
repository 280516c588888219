import type { SQSRecord } from 'aws-lambda';
import { createRoute } from '../../functions/create-route.ts';
import { createRegistry } from '../../functions/delivery/registry.ts';
import { eventOf, filterOf, processorMs } from './given.ts';

/** As many as one run of the route function gets. */
const BATCH = 10;
const EVENTS = 2_000;
const WARM_UP = 500;

/** Has events routed to that many endpoints of mixed filters, by a `send` that only counts. */
export async function measureRouting(
  endpoints: number,
): Promise<{ readonly msPerEvent: number; readonly wanting: number }> {
  const rows = Array.from({ length: endpoints }, (_, index) => {
    const name = `e${index}`;
    return { name, settings: { name, kind: 'webhook', filter: filterOf(index) } as const, health: {} };
  });
  const unused = async () => undefined;
  const registry = createRegistry([], { list: async () => rows, read: unused, change: unused }, Date.now);
  let sent = 0;
  const route = createRoute({
    registry,
    send: async messages => {
      sent += messages.length;
      return [];
    },
    log: { info: () => {}, warn: () => {}, error: () => {} },
    count: () => {},
  });
  const routeAll = async (from: number, count: number) => {
    for (let first = from; first < from + count; first += BATCH) {
      const bodies = Array.from({ length: BATCH }, (_, index) => JSON.stringify(eventOf(first + index)));
      const Records = bodies.map((body, index) => ({ body, messageId: String(index) }) as SQSRecord);
      const began = process.cpuUsage();
      await route({ Records });
      spent += processorMs(began);
    }
  };
  let spent = 0;
  await routeAll(0, WARM_UP);
  [spent, sent] = [0, 0];
  await routeAll(WARM_UP, EVENTS);
  return { msPerEvent: spent / EVENTS, wanting: sent / EVENTS };
}
