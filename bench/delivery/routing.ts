import { createRegistry } from '../../functions/delivery/registry.ts';
import { createRoute } from '../../functions/handlers/create-route.ts';
import { eventOf, filterOf, percentile, processorMs } from './given.ts';

/** Events per run: as many as a run of the route function gets at most. */
const BATCH = 10;
const EVENTS = 400;
/** Rounds, of which the median counts: other work on the machine lengthens processor time. */
const ROUNDS = 5;
const WARM_UP = 500;

const MESSAGE = { receipt: '', attributes: {}, sentAt: 0, receives: 1 };

/** Routes events to a number of endpoints with different filters; `send` only counts. */
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
      return { indexes: [] };
    },
    moveToFailed: unused,
    log: { info: () => {}, warn: () => {}, error: () => {} },
  });
  const routeAll = async (from: number, count: number) => {
    for (let first = from; first < from + count; first += BATCH) {
      const bodies = Array.from({ length: BATCH }, (_, index) => JSON.stringify(eventOf(first + index)));
      const messages = bodies.map((body, index) => ({ ...MESSAGE, id: String(index), body }));
      const began = process.cpuUsage();
      await route(
        { messages, queue: { name: 'events', extend: unused } },
        { awsRequestId: 'r', getRemainingTimeInMillis: () => 60_000 },
      );
      spent += processorMs(began);
    }
  };
  let spent = 0;
  await routeAll(0, WARM_UP);
  sent = 0;
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    spent = 0;
    await routeAll(WARM_UP + round * EVENTS, EVENTS);
    rounds.push(spent / EVENTS);
  }
  const sorted = rounds.toSorted((one, other) => one - other);
  return { msPerEvent: percentile(sorted, 0.5), wanting: sent / (ROUNDS * EVENTS) };
}
