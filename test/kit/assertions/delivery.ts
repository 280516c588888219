import { type BatchDependencies, deliverBatch } from '../../../functions/delivery/deliver-batch.ts';
import { drain } from '../../../functions/delivery/drain.ts';
import { EndpointHealth } from '../../../functions/delivery/endpoint-health.ts';
import type { Send } from '../../../functions/delivery/queues.ts';
import { createRegistry } from '../../../functions/delivery/registry.ts';
import { QueueSettler } from '../../../functions/delivery/settlers.ts';
import { createRoute } from '../../../functions/handlers/create-route.ts';
import type { PendingDelivery } from '../../../functions/model/delivery.ts';
import type { EndpointSettings } from '../../../functions/model/endpoint.ts';
import type { EndpointRow } from '../../../functions/model/endpoint-row.ts';
import type { ChangeEvent } from '../../../functions/model/event.ts';
import {
  AT,
  answered,
  endpointOf,
  messageOf,
  openSetting,
  someEvents,
  waitingOnes,
} from '../delivery/setting.ts';
import type { Trips } from './trip.ts';

const [event] = someEvents(1) as [ChangeEvent];
const message = () => messageOf('m0', JSON.stringify(event));

/** Drains a backlog of 30, whose rows the table returns with a defect. */
async function draining(defect: (rows: PendingDelivery[]) => PendingDelivery[], limit = 10): Promise<void> {
  const setting = openSetting();
  await setting.register();
  await setting.wait(waitingOnes(30));
  const { deliveries, dependencies } = setting;
  const due: typeof deliveries.due = async (name, now) => defect(await deliveries.due(name, now, limit));
  await drain(endpointOf(), { ...dependencies, deliveries: { ...deliveries, due } });
}

/** Delivers one message, with a defect in a collaborator. */
async function delivering(defect: Partial<BatchDependencies>, status = 200): Promise<unknown> {
  const setting = openSetting(() => answered(status));
  await setting.register();
  return setting.deliver([message()], endpointOf(), defect);
}

/** Routes messages with a defect in a collaborator. @returns what was logged */
async function routing(
  endpoints: readonly EndpointSettings[],
  send: Send = async () => ({ indexes: [] }),
  messages = [message()],
) {
  const { dependencies, said, hidden } = openSetting();
  const registry = { settings: async () => endpoints };
  const route = createRoute({ ...dependencies, registry, send });
  const again = await route(
    { messages, queue: dependencies.queue },
    { awsRequestId: 'r', getRemainingTimeInMillis: () => 60_000 },
  );
  return { said, again, hidden };
}

/** The registry over rows with a defect. */
function registered(...rows: EndpointRow[]) {
  const port = { ...openSetting().rows, list: async () => rows, read: async () => rows[0] };
  return createRegistry([], port, () => AT);
}
const rowOf = (name: string, settings = endpointOf('webhook', name)): EndpointRow => ({
  ...{ name, settings, health: {} },
});

/** Each makes a part of routing, delivering or draining. */
export const DELIVERY: Trips<'registry' | 'route' | 'delivery' | 'drain' | 'health'> = {
  'registry.names-are-unique': () => registered(rowOf('crm'), rowOf('crm')).all(),
  'registry.row-is-of-endpoint': () => registered(rowOf('erp')).read('crm'),
  'route.delivery-once': () => routing([endpointOf(), endpointOf()]),
  'route.message-ends-once': () => {
    const twice = message();
    return routing([endpointOf()], undefined, [twice, twice]);
  },
  'delivery.of-its-endpoint': () => draining(rows => rows.map(row => ({ ...row, endpoint: 'erp' }))),
  'delivery.settles-once': () => {
    const jobsOf: BatchDependencies['jobsOf'] = deliveries => {
      const job = { deliveries, request: () => ({ body: '', headers: {} }) };
      return { jobs: [job, job], unrenderable: [] };
    };
    return delivering({ jobsOf });
  },
  'delivery.none-left-open': async () => {
    const setting = openSetting();
    await setting.register();
    const tools = { ...setting.dependencies, jobsOf: () => ({ jobs: [], unrenderable: [] }) };
    const health = new EndpointHealth(endpointOf(), await setting.rows.read('crm'), tools);
    const settler = new QueueSettler('crm', health, [message()], tools);
    settler.failed = async () => undefined;
    await deliverBatch({ endpoint: endpointOf(), health, settler, isNew: true }, tools);
  },
  'delivery.retry-is-later': () => delivering({ random: () => Number.NaN }, 500),
  'drain.rows-in-order': () => draining(rows => rows.reverse()),
  'drain.within-rate': () => draining(rows => rows, 30),
  'health.additions-grow': () => {
    const { dependencies } = openSetting();
    const row = rowOf('crm');
    const health = { waiting: { added: Number.NaN, due: AT, first: true } };
    const rows = {
      ...dependencies.rows,
      change: async (_: string, decide: (before: EndpointRow) => unknown) => decide({ ...row, health }),
    };
    const tools = { ...dependencies, rows: rows as typeof dependencies.rows };
    return new EndpointHealth(endpointOf(), row, tools).backlogAdded(AT, true);
  },
};

/** A queue that names messages as unsent that it was not given. */
export const sendingWrong = () =>
  routing([endpointOf()], async () => ({ indexes: [1], reason: 'queue down' }));
