import { onTestFinished } from 'vitest';
import { connect } from '../../../functions/service/client.ts';
import type { ConnectOptions } from '../../../functions/service/options.ts';
import type { Service, ServiceConnection } from '../../../functions/service/service.ts';
import type { Controller } from '../../simulation/http.ts';
import { Scheduler } from '../../simulation/scheduler.ts';
import { agentOf } from '../agent.ts';

const START = Date.parse('2026-07-01T10:00:00Z');

/** How a service in virtual time answers a request that comes at `now`, while `underWay` others wait:
 *  after `ms`, with this status. */
export type Bearing = (
  now: number,
  underWay: number,
) => { ms: number; status?: number; headers?: Record<string, string> };

/** The client, and a service without sockets, in virtual time. */
export interface VirtualRig {
  readonly scheduler: Scheduler;
  readonly connection: ServiceConnection;
  readonly service: Service;
  /** The answers, without those to token requests: when, and with which status. */
  readonly answers: { readonly at: number; readonly status: number }[];
  /** The most requests that were under way at the same time. */
  readonly most: () => number;
  /** Waits for the promise while virtual time goes on; returns the ms that passed. */
  readonly within: (work: Promise<unknown>) => Promise<number>;
}

/** A token comes after `tokenMs`. */
export function virtualRig(bearing: Bearing, options: Partial<ConnectOptions> = {}, tokenMs = 0): VirtualRig {
  const scheduler = new Scheduler(START);
  const answers: { at: number; status: number }[] = [];
  let underWay = 0;
  let most = 0;
  const agent = agentOf(({ path }, controller) => {
    if (path.endsWith('/oauth/token')) {
      const token = () => reply(controller, 200, {}, { access_token: 'token', expires_in: 86_400 });
      if (tokenMs === 0) token();
      else scheduler.after(tokenMs, token);
      return;
    }
    const { ms, status = 200, headers = {} } = bearing(scheduler.now, underWay);
    underWay += 1;
    most = Math.max(most, underWay);
    scheduler.after(ms, () => {
      underWay -= 1;
      answers.push({ at: scheduler.now, status });
      reply(controller, status, headers, { tasks: [], paging: { hasNextPage: false } });
    });
  });
  const connection = connect({
    ...{ baseUrl: 'https://s.example', authUrl: 'https://s.example', audience: 'a', dateHeader: false },
    credentials: async () => ({ clientId: 'a', clientSecret: 'b' }),
    clock: () => scheduler.now,
    random: () => 0.5,
    sleep: ms => scheduler.sleep(ms),
    openAgent: () => agent,
    ...options,
  });
  onTestFinished(() => connection.close());
  const service = connection.open({ deadline: START + 86_400_000 });
  const within = async (work: Promise<unknown>) => {
    const from = scheduler.now;
    const end = Promise.withResolvers<number>();
    let isOver = false;
    work
      .finally(() => {
        isOver = true;
      })
      .then(() => end.resolve(scheduler.now - from), end.reject);
    await scheduler.until(() => isOver, 'the work');
    return end.promise;
  };
  return { scheduler, connection, service, answers, most: () => most, within };
}

function reply(controller: Controller, status: number, headers: Record<string, string>, body: object): void {
  controller.answer({ status, headers, text: Buffer.from(JSON.stringify(body)) });
}

/** Reads the task lists of so many projects, as many at once as a pass reads. */
export async function readLists(service: Service, projects: number, workers = 16): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < projects) for await (const page of service.tasks('p', String(next++))) page.items.length;
  };
  await Promise.all(Array.from({ length: workers }, worker));
}
