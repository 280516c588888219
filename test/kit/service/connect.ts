import { onTestFinished } from 'vitest';
import { connect } from '../../../functions/service/client.ts';
import type { ConnectOptions, Notice } from '../../../functions/service/options.ts';
import type { Page, Service, ServiceConnection } from '../../../functions/service/service.ts';
import { type Behaviour, startServer, type TestServer } from './server.ts';

type RequestInfo = Parameters<NonNullable<ConnectOptions['onRequest']>>[0];

export const SECRET = 'the-client+secret/ß';
export const START = Date.parse('2026-07-01T10:00:00Z');

/** A clock that goes on from START, in real time. */
export function runningClock(): () => number {
  const began = Date.now();
  return () => START + Date.now() - began;
}

/** A client of a misbehaving server, with virtual time: sleeping moves the clock and returns at once. */
export interface Rig extends TestServer {
  readonly connection: ServiceConnection;
  /** The service as a pass sees it that has a day's time. */
  readonly service: Service;
  readonly waits: number[];
  readonly notices: Notice[];
  readonly infos: RequestInfo[];
  readonly time: { now: number };
}

export async function rig(
  api: Behaviour,
  options: Partial<ConnectOptions> & { token?: Behaviour; prefix?: string } = {},
): Promise<Rig> {
  const { token, prefix = '', ...rest } = options;
  const server = await startServer(api, token);
  const waits: number[] = [];
  const notices: Notice[] = [];
  const infos: RequestInfo[] = [];
  const time = { now: START };
  const connection = connect({
    baseUrl: server.url + prefix,
    authUrl: server.url,
    audience: 'the audience',
    credentials: async () => ({ clientId: 'client', clientSecret: SECRET }),
    clock: () => time.now,
    random: () => 0.5,
    sleep: async ms => {
      waits.push(ms);
      time.now += ms;
    },
    onRequest: info => infos.push(info),
    onNotice: notice => notices.push(notice),
    ...rest,
  });
  onTestFinished(() => connection.close());
  const service = connection.open({ deadline: START + 86_400_000 });
  return { ...server, connection, service, waits, notices, infos, time };
}

/** Every item of a list. */
export async function all<Item>(list: AsyncIterable<Page<Item>>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const page of list) items.push(...page.items);
  return items;
}

/** The identifiers of a list's records. */
export async function ids(list: AsyncIterable<Page<{ id: string }>>): Promise<string[]> {
  return (await all(list)).map(record => record.id);
}

/** What a promise rejects with; fails when it does not. */
export async function failureOf(promise: Promise<unknown>): Promise<Error> {
  const error = await promise.then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof Error) || error.message === 'it did not fail')
    throw new Error(`unexpected: ${error}`);
  return error;
}
