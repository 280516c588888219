import type { Clock, Sleep } from '../../functions/basics/clock.ts';
import type { Log } from '../../functions/basics/telemetry.ts';
import { afterSuccess } from '../../functions/delivery/health.ts';
import { createRegistry, type Registry } from '../../functions/delivery/registry.ts';
import type { Sender } from '../../functions/delivery/sender.ts';
import type { EndpointSettings } from '../../functions/model/endpoint.ts';
import type { EndpointRow, Health } from '../../functions/model/endpoint-row.ts';
import type { Replays } from '../../functions/operations/replay.ts';
import type { Deliveries, EndpointRows, Slots } from '../../functions/store/store.ts';
import type { LocalTopic } from '../deliveries/topic.ts';
import { type ServedEndpoint, startEndpoint } from './endpoint.ts';

export interface FleetOptions {
  /** The endpoints of the command line and of the configuration: they win over rows of the same names. */
  readonly configured: readonly EndpointSettings[];
  /** The origins of their addresses, by name. */
  readonly origins?: ReadonlyMap<string, string>;
  readonly topic: LocalTopic;
  readonly rows: EndpointRows;
  readonly deliveries: Deliveries;
  readonly slots: Slots;
  readonly sender: Sender;
  readonly replays: Replays;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly log: Log;
  /** A line for people about an endpoint. */
  readonly say: (endpoint: string, text: string) => void;
  /** Called before an endpoint is served for the first time in this run. */
  readonly onServe: (endpoint: string) => Promise<void>;
}

interface Member {
  readonly settings: EndpointSettings;
  readonly served: ServedEndpoint;
  /** Its row, as JSON, when it was last looked at. */
  row: string;
}

/** How often changes to endpoints are looked for: another process may make them. */
const LOOK_EVERY_MS = 2_000;
/** How long replays are worked off before changes are looked for again. */
const REPLAY_MS = 1_000;

/** All endpoints of a run: those that it was started with, and those that are added, changed and removed while it runs. */
export class Fleet {
  readonly #options: FleetOptions;
  readonly #members = new Map<string, Member>();
  readonly #stopping = new AbortController();
  #looking: Promise<void> = Promise.resolve();
  /** Two looks at once would serve a new endpoint twice. */
  #obeying: Promise<unknown> = Promise.resolve();

  constructor(options: FleetOptions) {
    this.#options = options;
  }

  /** Serves the endpoints that there are. */
  async start(): Promise<void> {
    const { configured, origins, rows } = this.#options;
    const names = new Set([
      ...configured.map(({ name }) => name),
      ...(await rows.list()).map(({ name }) => name),
    ]);
    for (const name of names) {
      const settings = configured.find(endpoint => endpoint.name === name);
      await rows.change(name, row => {
        const { configured: _, ...rest } = row ?? { name, health: {} };
        if (!rest.settings && !settings) return 'removed';
        const health = restarted(rest.health);
        const origin = settings && origins?.get(name);
        return { ...rest, health, ...(settings && { configured: settings }), ...(origin && { origin }) };
      });
    }
    await this.#look();
  }

  /** Looks for changes until it is stopped. */
  watch(): void {
    this.#looking = this.#watch();
  }

  /** Looks for changes now, and resolves when they are obeyed: what is published from then on goes to whom it should. */
  obey(): Promise<void> {
    return this.#inTurn().then(
      () => undefined,
      (error: unknown) => this.#failed(error),
    );
  }

  get served(): readonly ServedEndpoint[] {
    return [...this.#members.values()].map(({ served }) => served);
  }

  get names(): readonly string[] {
    return [...this.#members.keys()];
  }

  /** Starts no further delivery. Resolves when those under way have ended, or soon after. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#looking;
    await this.#obeying;
    await Promise.all(this.served.map(each => each.stop()));
  }

  async #watch(): Promise<void> {
    const { sleep } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await sleep(LOOK_EVERY_MS, signal).catch(() => undefined);
      if (signal.aborted) return;
      try {
        await this.#look();
      } catch (error) {
        this.#failed(error);
      }
    }
  }

  async #look(): Promise<void> {
    const { clock, replays } = this.#options;
    const all = await this.#inTurn();
    const until = clock() + REPLAY_MS;
    await replays(all, () => clock() < until && !this.#stopping.signal.aborted);
  }

  #inTurn(): ReturnType<Registry['all']> {
    const turn = this.#obeying.then(() => this.#serveAll());
    this.#obeying = turn.catch(() => undefined);
    return turn;
  }

  async #serveAll(): ReturnType<Registry['all']> {
    const { configured, rows, clock, log } = this.#options;
    if (this.#stopping.signal.aborted) return [];
    const all = await createRegistry(configured, rows, clock, log).all();
    for (const { endpoint, row } of all) await this.#serve(endpoint, row);
    const names = new Set(all.map(({ endpoint }) => endpoint.name));
    for (const name of this.names) if (!names.has(name)) await this.#drop(name);
    return all;
  }

  #failed(error: unknown): void {
    const { log } = this.#options;
    log.warn(`Endpoints that were changed are not looked for: ${String(error)}. It is tried again.`);
  }

  async #serve(settings: EndpointSettings, row: EndpointRow | undefined): Promise<void> {
    const { name } = settings;
    const text = JSON.stringify(row);
    const member = this.#members.get(name);
    if (member && JSON.stringify(member.settings) === JSON.stringify(settings)) {
      if (member.row !== text) member.served.wake();
      member.row = text;
      return;
    }
    const { say, onServe, ...options } = this.#options;
    if (!member) await onServe(name);
    // Stopped first, so that no two serve the endpoint. What is published meanwhile becomes a row in any
    // case.
    await member?.served.stop();
    const tell = (line: string) => {
      if (!this.#stopping.signal.aborted) say(name, line);
    };
    const served = await startEndpoint({ ...options, endpoint: settings, say: tell });
    this.#members.set(name, { settings, served, row: text });
  }

  async #drop(name: string): Promise<void> {
    const member = this.#members.get(name);
    this.#members.delete(name);
    this.#options.topic.close(name);
    await member?.served.stop();
  }
}

/** The health of an endpoint at a start: failures, a stop and a `Retry-After` are forgotten, but not that
 *  somebody paused it. What an earlier run left is sent without the endpoint's rate, unless it waited
 *  because the endpoint failed, was paused or stopped. */
function restarted(health: Health): Health {
  const { stopped: _, draining: __, ...rest } = afterSuccess(health);
  return rest;
}
