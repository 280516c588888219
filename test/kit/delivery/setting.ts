import { onTestFinished } from 'vitest';
import { buildEvents } from '../../../functions/changes/build-events.ts';
import { type BatchDependencies, deliverBatch } from '../../../functions/delivery/deliver-batch.ts';
import { type DrainDependencies, drain } from '../../../functions/delivery/drain.ts';
import { EndpointHealth } from '../../../functions/delivery/endpoint-health.ts';
import { joined } from '../../../functions/delivery/health.ts';
import type { Answer, NoAnswer } from '../../../functions/delivery/http/post.ts';
import { chatJobs, jobsOf, openFlood, openWindow, webhookJobs } from '../../../functions/delivery/kinds.ts';
import type { Queues } from '../../../functions/delivery/queues.ts';
import { STANDARD_TIMING } from '../../../functions/delivery/retries.ts';
import { QueueSettler } from '../../../functions/delivery/settlers.ts';
import type { NewDelivery } from '../../../functions/model/delivery.ts';
import type { EndpointSettings } from '../../../functions/model/endpoint.ts';
import type { EndpointRow, Health } from '../../../functions/model/endpoint-row.ts';
import type { ChangeEvent, SentEvent } from '../../../functions/model/event.ts';
import type { EndpointKind } from '../../../functions/model/kinds.ts';
import type { MoveToFailed } from '../../../functions/queue/failed-messages.ts';
import type { Batch, Message } from '../../../functions/queue/queue.ts';
import { createEndpointRows, createSlots } from '../../../functions/store/dynamo/endpoints.ts';
import { createDeliveries } from '../../../functions/store/dynamo/store.ts';
import { openSqliteStore } from '../../../functions/store/sqlite/store.ts';
import { modelClient } from '../../simulation/models/table.ts';
import { addingUp } from '../adding-up.ts';
import { openModel } from '../table.ts';
import { AT, DAY, HOUR, MINUTE, SECOND } from '../time.ts';

export { AT, DAY, HOUR, MINUTE, SECOND };
export const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;

/** For handlers that get no malformed message. */
export const NOTHING_MALFORMED: MoveToFailed = ({ body }) => Promise.reject(new Error(`malformed: ${body}`));

/** `count` valid events of one commit. */
export function someEvents(count: number, version = AT): ChangeEvent[] {
  const observed = { after: AT - 1, before: AT };
  const commit = {
    workspace: 'eu',
    processId: 'on boarding',
    projectId: 'p.1',
    projectRecord: { name: 'Acme' },
    version,
    observed: { project: observed, task: observed },
  };
  const field = { field: 'note', name: 'Note', kind: 'custom', type: 'text', from: '', to: 'x' } as const;
  const change = (id: string) =>
    ({ entity: 'task', action: 'updated', id, record: {}, fields: [field] }) as const;
  return [
    ...buildEvents(
      commit,
      Array.from({ length: count }, (_, index) => change(`t${index}`)),
    ),
  ];
}

export interface Said {
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly details: Record<string, unknown>;
}

export const answered = (status: number, more: Partial<Answer> = {}): Answer => ({
  status,
  retryAfter: undefined,
  date: undefined,
  at: AT,
  ...more,
});

/** Makes requests for webhooks as always, and messages for chats by this format. */
export const jobsWith =
  (format: (events: readonly SentEvent[], kind: EndpointKind) => ChatMessages): DrainDependencies['jobsOf'] =>
  (deliveries, { kind, batch }) =>
    kind === 'webhook'
      ? webhookJobs(deliveries, { batch })
      : chatJobs(deliveries, events => format(events, kind));
type ChatMessages = ReturnType<Parameters<typeof chatJobs>[1]>;

export const endpointOf = (kind: EndpointKind = 'webhook', name = 'crm'): EndpointSettings => ({
  name,
  kind,
});

/** A message of the queue of deliveries, received for the `receives`th time, `age` ms after the first
 *  time. */
export function messageOf(
  id: string,
  body: string,
  more: { to?: string; age?: number; receives?: number; replay?: boolean; wake?: boolean; now?: number } = {},
): Message {
  const { to = 'crm', age = 0, receives = age > 0 ? 2 : 1, replay, wake, now = AT } = more;
  return {
    id,
    receipt: `receipt-${id}`,
    body,
    group: to,
    attributes: { endpoint: to, ...(replay && { replay: 'true' }), ...(wake && { wake: '1' }) },
    sentAt: now - age,
    receives,
  };
}

/** Messages as a run gets them; what it extends is not noted. */
export const batchOf = (messages: readonly Message[], name = 'deliveries'): Batch => ({
  messages,
  queue: { name, extend: async () => undefined },
});

/** Pending deliveries, one for each of `count` events, a second apart. */
export const waitingOnes = (count: number, more: Partial<NewDelivery> = {}): NewDelivery[] =>
  someEvents(count).map((event, index) => ({
    endpoint: 'crm',
    eventId: event.id,
    at: AT - HOUR + index * SECOND,
    body: JSON.stringify(event),
    attributes: {},
    ...more,
  }));

/** One POST, as the poster got it. `at`: when, in ms after the beginning. */
export interface Posted {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly at: number;
}

/** `onSlow` is what the poster calls when no answer comes for a while. */
type Answers = (
  posted: Posted,
  number: number,
  onSlow: () => void,
) => Promise<Answer | NoAnswer> | Answer | NoAnswer;

/** What a deliverer works with: the model of the table, and queues and receivers that only record what
 *  they get. Time passes by sleeping only. `post` gives the receivers' answers. */
export function openSetting(post: Answers = () => answered(200)) {
  const { model, ...base } = openModel();
  const state = { now: AT, closed: 0 };
  /** Errors that commands of the table fail with: `before` they have their effect, or `after`. */
  const faults: { before?: (command: object) => unknown; after?: (command: object) => unknown } = {};
  const table = {
    ...base,
    client: modelClient(async command => {
      const before = faults.before?.(command);
      if (before) throw before;
      const output = model.run(command);
      const after = faults.after?.(command);
      if (after) throw after;
      return output;
    }),
  };
  const posts: Posted[] = [];
  const hidden: [id: string, seconds: number][] = [];
  const wakes: [name: string, seconds: number][] = [];
  const said: Said[] = [];
  const lines: object[] = [];
  const lags: Record<string, number[]> = {};
  const counts: Record<string, number> = {};
  const slept: number[] = [];
  const say =
    (level: Said['level']) =>
    (message: string, details: object = {}) =>
      void said.push({ level, message, details: { ...details } });
  const queues: Queues = {
    wake: async ({ name }, seconds) => void wakes.push([name, seconds]),
  };
  const queue: Batch['queue'] = {
    name: 'deliveries',
    extend: async ({ receipt }, seconds) => void hidden.push([receipt.replace('receipt-', ''), seconds]),
  };
  const aside: [id: string, reason: string][] = [];
  const moveToFailed: MoveToFailed = async ({ id }, _from, reason) => void aside.push([id, reason]);
  const dependencies: DrainDependencies & Pick<Batch, 'queue'> & { readonly moveToFailed: MoveToFailed } = {
    ...{ queue, moveToFailed },
    rows: createEndpointRows(table),
    deliveries: createDeliveries(table),
    slots: createSlots(table),
    queues,
    run: 'run',
    readSecret: async ({ kind }) => ({
      url: 'https://crm.example/',
      ...(kind === 'webhook' && { secrets: [SECRET] }),
    }),
    doubtSecret: () => undefined,
    openPoster: () => ({
      post: async (url, { body, headers }, onSlow = () => undefined) => {
        const posted = { url, body, headers, at: state.now - AT };
        posts.push(posted);
        return post(posted, posts.length, onSlow);
      },
      close: async () => void state.closed++,
    }),
    // One message for each event, with its id as content.
    jobsOf: jobsWith((events, kind) => events.map(({ id }) => ({ body: `${kind} ${id}`, eventIds: [id] }))),
    openFlood: endpoint => openFlood({ endpoint }),
    openWindow: endpoint => openWindow({ endpoint }),
    timing: STANDARD_TIMING,
    clock: () => state.now,
    random: () => 0,
    sleep: async ms => {
      slept.push(ms);
      const end = state.now + ms;
      await undefined;
      state.now = Math.max(state.now, end);
    },
    remaining: () => Number.POSITIVE_INFINITY,
    log: {
      info: (message, details) => void lines.push({ message, ...details }),
      warn: say('warn'),
      error: say('error'),
    },
    count: addingUp(counts, lags),
  };
  const { rows, deliveries } = dependencies;
  const pending = async (name = 'crm') => deliveries.due(name, Number.MAX_SAFE_INTEGER, 100_000);
  return {
    ...{ table, faults, state, posts, hidden, aside, wakes, said, lines, counts, lags, slept },
    ...{ dependencies, rows, deliveries, pending },
    /** Makes an endpoint's row with this health; without settings it is an endpoint of the configuration. */
    async register(health: Health = {}, settings: EndpointSettings | null = endpointOf(), name = 'crm') {
      const row: EndpointRow = { name, health, ...(settings && { settings }) };
      await rows.change(name, () => row);
      return row;
    },
    /** Makes deliveries pending, as a run does that finds an endpoint closed. */
    async wait(all: readonly NewDelivery[], first = true) {
      await deliveries.add(all);
      for (const { endpoint, due, at } of all.slice(0, 1))
        await rows.change(endpoint, row => row && { ...row, health: joined(row.health, due ?? at, first) });
    },
    healthOf: async (name = 'crm') => (await rows.read(name))?.health,
    /** Delivers messages to an endpoint as a run does. @returns the ids of those that stay in the queue */
    async deliver(
      messages: readonly Message[],
      endpoint: EndpointSettings = endpointOf(),
      more: Partial<BatchDependencies & Pick<Batch, 'queue'>> = {},
    ) {
      const all = { ...dependencies, ...more };
      const health = new EndpointHealth(endpoint, await rows.read(endpoint.name), all);
      const settler = new QueueSettler(endpoint.name, health, messages, all);
      await deliverBatch({ endpoint, health, settler, isNew: true }, all);
      return settler.again;
    },
    pendingIds: async (name = 'crm') => (await pending(name)).map(({ eventId }) => eventId),
  };
}

/** Makes requests and messages as they are sent. */
export const realJobs: DrainDependencies['jobsOf'] = (all, endpoint) => jobsOf(all, { endpoint });

/** A setting over SQLite, with the real messages, until the end of the test. */
export function openStored(post?: Answers) {
  const setting = openSetting(post);
  const { endpoints, deliveries, slots, close } = openSqliteStore(':memory:');
  onTestFinished(close);
  const dependencies = { ...setting.dependencies, rows: endpoints, deliveries, slots, jobsOf: realJobs };
  return {
    ...{ ...setting, endpoints, deliveries, dependencies },
    healthOf: async (name = 'crm') => (await endpoints.read(name))?.health,
    /** How many deliveries wait, due or not. */
    left: async (name = 'crm') => (await deliveries.due(name, Number.MAX_SAFE_INTEGER, 30_000)).length,
    drain: (endpoint: EndpointSettings, more: Partial<DrainDependencies> = {}) =>
      drain(endpoint, { ...dependencies, ...more }),
  };
}

export type Setting = ReturnType<typeof openSetting>;

/** The error of a table that is down; it is not retried. */
export const TABLE_DOWN = new Error('table down');

/** Whether a command writes an item whose sort key begins with `prefix`. */
export function writes(command: object, prefix: string): boolean {
  const { input } = command as { input: { Item?: Keyed; Key?: Keyed; TransactItems?: object[] } };
  if (command.constructor.name === 'GetItemCommand') return false;
  const places = [
    input,
    ...(input.TransactItems ?? []).flatMap(item => Object.values(item)),
  ] as (typeof input)[];
  return places.some(({ Item, Key }) =>
    `${(Item ?? Key)?.pk?.S}|${(Item ?? Key)?.sk?.S}`.includes(`|${prefix}`),
  );
}
type Keyed = Readonly<Record<string, { readonly S?: string }>>;

export const isRowOf = (name: string) => (command: object) => writes(command, name);

export const idsOf = (posts: readonly Posted[]) =>
  posts.map(({ headers }) => Number(headers['webhook-id']?.split('.').at(-1)));
