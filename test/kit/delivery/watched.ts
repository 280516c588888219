import { createServer } from 'node:http';
import { onTestFinished } from 'vitest';
import type { DrainDependencies } from '../../../functions/delivery/drain.ts';
import { createRegistry } from '../../../functions/delivery/registry.ts';
import { createDeliver } from '../../../functions/handlers/create-deliver.ts';
import { createTick } from '../../../functions/handlers/create-tick.ts';
import type { EndpointSettings } from '../../../functions/model/endpoint.ts';
import type { SentEvent } from '../../../functions/model/event.ts';
import { workOffJobs } from '../../../functions/operations/jobs.ts';
import { listen } from '../listen.ts';
import type { TestStore } from '../store/stores.ts';
import { AT, messageOf, SECOND, SECRET, someEvents } from './setting.ts';

/** What a receiver got and accepted, or refused. `at`: ms after the beginning. */
export interface Got {
  readonly event: SentEvent;
  readonly status: number;
  readonly at: number;
}

type Answers = (event: SentEvent, at: number) => number;

/** Endpoints with receivers over HTTP, and the real deliver and tick handlers over a store, in virtual time. */
export async function openWatched(store: TestStore, endpoints: readonly EndpointSettings[]) {
  const state = { now: AT, events: 0 };
  const answers = new Map<string, Answers>();
  const got = new Map<string, Got[]>(endpoints.map(({ name }) => [name, []]));
  const wakes: { readonly name: string; readonly at: number }[] = [];
  const lines: { readonly code?: string }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', chunk => chunks.push(chunk));
    request.on('end', () => {
      const name = (request.url ?? '').slice(1);
      const event = JSON.parse(Buffer.concat(chunks).toString()) as SentEvent;
      const at = state.now - AT;
      const status = answers.get(name)?.(event, at) ?? 200;
      got.get(name)?.push({ event, status, at });
      response.writeHead(status).end();
    });
  });
  const { url, stop } = await listen(server);
  onTestFinished(async () => {
    await stop();
    await store.stop();
  });
  const clock = () => state.now;
  const log = (_: string, details: object = {}) => void lines.push(details);
  const common = { clock, log: { info: log, warn: log, error: log }, count: () => undefined };
  const queues: DrainDependencies['queues'] = {
    wake: async ({ name }, seconds) => void wakes.push({ name, at: state.now + seconds * SECOND }),
  };
  const context = { awsRequestId: 'run', getRemainingTimeInMillis: () => 170 * SECOND };
  /** Handlers over this view of the store: a process that may die. */
  const start = (ports: Pick<TestStore, 'endpoints' | 'deliveries'> = store) => {
    const registry = createRegistry(endpoints, ports.endpoints, clock, undefined, 0);
    const deliver = createDeliver({
      ...{ ...common, ...ports, registry, rows: ports.endpoints, slots: store.slots, queues },
      ...{ allowLoopback: true, keepsConnections: true, random: () => 0, timeout: 5 * SECOND },
      secrets: {
        read: async name => JSON.stringify({ url: `${url}/${name}`, secrets: [SECRET] }),
        nameOf: name => name,
        putting: () => '',
      },
      sleep: async ms => {
        state.now += ms;
      },
    });
    const jobs = { ...store, ...ports, ...common, configured: endpoints, queues };
    const tick = createTick({
      ...{ ...common, registry, queues },
      jobs: (all, hasTime) => workOffJobs(jobs, all, hasTime),
    });
    return { deliver: (message: ReturnType<typeof messageOf>) => deliver(batchOf(message), context), tick };
  };
  const batchOf = (message: ReturnType<typeof messageOf>) => ({
    messages: [message],
    queue: { name: 'deliveries', extend: async () => undefined },
  });
  let process = start();
  const oldest = () => wakes.toSorted((one, other) => one.at - other.at)[0];
  return {
    ...{ state, answers, got, lines, wakes },
    /** Replaces the process: the one before was killed, or will be. */
    restart: (ports?: Pick<TestStore, 'endpoints' | 'deliveries'>) => {
      process = start(ports);
    },
    /** Routes a change to an endpoint. */
    change: async (to: string) => {
      const [event] = someEvents(1, AT + ++state.events);
      const body = JSON.stringify(event);
      await process
        .deliver(messageOf(`m${state.events}`, body, { to, now: state.now }))
        .catch(() => undefined);
    },
    tick: () => process.tick(),
    /** Runs drains as they are due, and a tick each minute (or each `every` ms), for this time. */
    pass: async (ms: number, every = 60_000) => {
      const end = state.now + ms;
      for (;;) {
        const tickAt = (Math.floor(state.now / every) + 1) * every;
        const wake = oldest();
        const at = Math.min(tickAt, wake?.at ?? tickAt);
        if (at > end) break;
        state.now = Math.max(state.now, at);
        if (wake && wake.at <= at) {
          wakes.splice(wakes.indexOf(wake), 1);
          const message = messageOf('wake', 'wake', { to: wake.name, wake: true, now: state.now });
          await process.deliver(message).catch(() => undefined);
        } else await process.tick().catch(() => undefined);
      }
      state.now = Math.max(state.now, end);
    },
    /** The health events that an endpoint accepted. */
    told: (name: string) =>
      (got.get(name) ?? []).filter(({ event, status }) => status === 200 && isAboutHealth(event)),
    /** The attempts to deliver health events to any endpoint. */
    attempts: () => [...got.values()].flat().filter(({ event }) => isAboutHealth(event)),
  };
}

function isAboutHealth({ type }: SentEvent): boolean {
  return type.startsWith('endpoint.') || type === 'delivery.dead';
}
