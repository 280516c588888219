import { randomBytes } from 'node:crypto';
import type { Mode, ProcessKey } from '../../../functions/basics/process.ts';
import { jobsOf, type ReadDelivery } from '../../../functions/delivery/kinds.ts';
import type { EndpointRequest, EndpointSettings } from '../../../functions/model/endpoint.ts';
import type { ChangeEvent } from '../../../functions/model/event.ts';
import type { SecretKeeper } from '../../../functions/model/secret.ts';
import type { OperationsContext } from '../../../functions/operations/context.ts';
import { dynamoStore } from '../../../functions/store/dynamo/store.ts';
import type { Table } from '../../../functions/store/dynamo/table.ts';
import { PUBLISHER } from '../../../functions/store/sqlite/journal.ts';
import { openSqliteStore } from '../../../functions/store/sqlite/store.ts';
import type { EndpointRows, Store } from '../../../functions/store/store.ts';
import { openModel } from '../table.ts';

export const AT = Date.UTC(2026, 10, 21, 12);

/** The processes, each of which has a journal. */
export const PROCESSES: readonly ProcessKey[] = [
  { workspace: 'eu', processId: 'on boarding' },
  { workspace: 'us', processId: 'sales' },
];

export interface Stores extends Pick<Store, keyof Store & keyof OperationsContext> {
  /** SQLite only: says up to which position the publisher is. */
  published?(position: number): void;
  close(): void;
}

function modelStores(): Stores {
  return { ...storesOf(openModel()), close: () => undefined };
}

/** The stores in a table. */
export function storesOf(table: Table): Omit<Stores, 'close'> {
  return dynamoStore({ ...table, timing: { ...table.timing, random: Math.random } }, PROCESSES);
}

function sqliteStores(): Stores {
  const { feed, ...store } = openSqliteStore(':memory:');
  return { ...store, published: position => feed.moveTo(PUBLISHER, position) };
}

/** The kinds of stores; over each of them all operations must work alike. */
export const STORES = [
  ['the table’s model', modelStores],
  ['SQLite', sqliteStores],
] as const;

export function memorySecrets(): SecretKeeper & { readonly texts: Map<string, string> } {
  const texts = new Map<string, string>();
  return {
    texts,
    nameOf: name => `secret of ${name}`,
    putting: name => `put it into ${name}`,
    read: async name => {
      const text = texts.get(name);
      if (text === undefined) throw Object.assign(new Error('hush'), { name: 'ParameterNotFound' });
      return text;
    },
    write: async (name, text) => void texts.set(name, text),
    remove: async name => void texts.delete(name),
  };
}

/** A context over such stores, with a clock that stands still. Wakes, log entries and writes are recorded in
 *  order. */
export function openContext(open: () => Stores, configured: readonly EndpointSettings[] = []) {
  const stores = open();
  const state = { now: AT };
  const woken: string[] = [];
  const said: string[] = [];
  const steps: string[] = [];
  const secrets = memorySecrets();
  const say = (message: string) => void said.push(message);
  const started: [process: string, mode: Mode][] = [];
  const posts: { url: string; body: string; headers: Readonly<Record<string, string>> }[] = [];
  /** The answer of every receiver. */
  const receiver = { status: 200, body: 'ok' };
  let ids = 0;
  const traced: EndpointRows = {
    ...stores.endpoints,
    change: (name, decide) => {
      steps.push(`row ${name}`);
      return stores.endpoints.change(name, decide);
    },
  };
  return {
    ...stores,
    ...{ configured, state, woken, said, steps },
    endpoints: traced,
    secrets: {
      ...secrets,
      write: async (name: string, text: string) => {
        steps.push(`secret ${name}`);
        await secrets.write(name, text);
      },
      remove: async (name: string) => {
        steps.push(`no secret ${name}`);
        await secrets.remove(name);
      },
    },
    queues: { wake: async ({ name }: { name: string }) => void woken.push(name) },
    clock: () => state.now,
    log: { info: say, warn: say, error: say },
    randomBytes: (size: number) => randomBytes(size),
    address: { allowLoopback: true, resolve: async () => [{ address: '93.184.216.34', family: 4 }] },
    newId: () => `replay-${++ids}`,
    label: 'run',
    toApply: 'start again' as const,
    isRunning: true,
    processes: async () => PROCESSES.map(process => ({ ...process, interval: 60_000 })),
    started,
    startPass: async (process: ProcessKey, mode: Mode) => void started.push([process.processId, mode]),
    doctor: async ({ workspace, processId }: ProcessKey) => ({
      ...{ at: new Date(state.now).toISOString(), workspace, process: processId, findings: [] },
      settings: { workspace: {}, process: {} },
    }),
    connectService: (): never => {
      throw new Error('Nothing here has a service.');
    },
    posts,
    receiver,
    openPoster: () => ({
      post: async (url: string, request: EndpointRequest) => {
        posts.push({ url, ...request });
        return {
          status: receiver.status,
          retryAfter: undefined,
          date: undefined,
          body: receiver.body,
          at: state.now,
        };
      },
      close: async () => undefined,
    }),
    jobsOf: (all: readonly ReadDelivery[], endpoint: EndpointSettings) => jobsOf(all, { endpoint }),
  };
}

export type OpenContext = ReturnType<typeof openContext>;

interface Committed {
  readonly process?: ProcessKey;
  readonly projectId?: string;
  readonly at?: number;
  /** By default made of `at`. */
  readonly version?: number;
}

/** Commits these events of one project of a process, as a pass does. */
export async function commit(
  { snapshots }: Pick<Stores, 'snapshots'>,
  events: readonly ChangeEvent[],
  { process = PROCESSES[0] as ProcessKey, projectId = 'p.1', ...when }: Committed = {},
): Promise<void> {
  const { at = AT, version = at } = when;
  const expected = await snapshots.load(process, projectId);
  const content = { record: { id: projectId }, tasks: new Map() };
  const snapshot = { version, content, recordReadAt: at, tasksReadAt: at };
  const request = { projectId, expected, snapshot, version, events, at };
  const result = await snapshots.commit(process, request);
  if (result !== 'committed') throw new Error(result);
}
