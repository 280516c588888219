import type { ServerResponse } from 'node:http';
import { type Clock, happenedAt } from '../../functions/basics/clock.ts';
import type { Mode, ProcessKey } from '../../functions/basics/process.ts';
import { maxSilenceMs, type ProcessSettings } from '../../functions/config/workspace.ts';
import { type Journal, PUBLISHER } from '../../functions/store/sqlite/journal.ts';
import type { Deliveries, EndpointRows, Snapshots } from '../../functions/store/store.ts';
import { showAbout } from '../basics/duration.ts';
import { type LocalServer, listenLocally } from '../basics/listener.ts';
import type { Watched } from '../settings/watched.ts';

/** How the passes over one process went in this run; times are ours, in ms since 1970. */
interface Freshness {
  /** When the run began. */
  readonly startedAt: number;
  /** When a pass last read or completed something; before that, the start of the run. */
  readonly movedAt: number;
  /** When a sweep was last completed; before that, the start of the run. */
  readonly sweptAt: number;
  /** Why the last pass of each mode failed; undefined when it did not. */
  readonly failures: Readonly<Partial<Record<Mode, string>>>;
}

/** Remembers how the passes of a run go. */
export class PassWatch {
  readonly #startedAt: number;
  readonly #processes = new Map<string, Freshness>();

  constructor(startedAt: number) {
    this.#startedAt = startedAt;
  }

  /** The state `now`. Where a clock was set back since, time counts from now on. */
  of(process: ProcessKey, now: number): Freshness {
    return this.#set(process, ({ startedAt, movedAt, sweptAt }) => ({
      startedAt: Math.min(startedAt, now),
      movedAt: Math.min(movedAt, now),
      sweptAt: Math.min(sweptAt, now),
    }));
  }

  /** A pass has read something, and goes on. */
  moved(process: ProcessKey, at: number): void {
    this.#set(process, () => ({ movedAt: at }));
  }

  /** A pass was completed. */
  passed(process: ProcessKey, mode: Mode, at: number): void {
    this.#set(process, ({ failures: { [mode]: _, ...failures } }) => ({
      ...{ movedAt: at, failures },
      ...(mode === 'sweep' && { sweptAt: at }),
    }));
  }

  failed(process: ProcessKey, mode: Mode, reason: string): void {
    this.#set(process, ({ failures }) => ({ failures: { ...failures, [mode]: reason } }));
  }

  #set({ workspace, processId }: ProcessKey, change: (known: Freshness) => Partial<Freshness>): Freshness {
    const key = JSON.stringify([workspace, processId]);
    const startedAt = this.#startedAt;
    const unknown = { startedAt, movedAt: startedAt, sweptAt: startedAt, failures: {} };
    const known = this.#processes.get(key) ?? unknown;
    const changed = { ...known, ...change(known) };
    this.#processes.set(key, changed);
    return changed;
  }
}

/** How a run is. Times are ISO texts. */
export interface Health {
  readonly status: 'ok' | 'late';
  /** What is late, a line for each. */
  readonly late: readonly string[];
  readonly processes: readonly ProcessHealth[];
  /** When the oldest event was committed that is not published yet. */
  readonly unpublishedSince?: string;
  /** An endpoint that is away is not counted as late: its events wait. */
  readonly endpoints: readonly EndpointHealth[];
}

interface ProcessHealth {
  readonly workspace: string;
  readonly process: string;
  readonly baselined: boolean;
  /** When a pass was last completed. */
  readonly completedAt?: string;
  /** Since when the process is on hold. */
  readonly onHoldSince?: string;
  /** The number of skipped projects. */
  readonly skipped: number;
  /** Why the last pass failed. */
  readonly failure?: string;
}

interface EndpointHealth {
  readonly name: string;
  readonly undelivered: number;
  readonly since?: string;
  readonly dead: number;
  /** Since when no attempt succeeded: one probe at a time is sent. */
  readonly failingSince?: string;
  /** When it was paused. */
  readonly pausedSince?: string;
  /** Why it gets nothing more in this run. */
  readonly stopped?: string;
}

interface HealthParts {
  readonly watched: readonly Watched[];
  readonly passes: Pick<PassWatch, 'of'>;
  readonly snapshots: Pick<Snapshots, 'readState'>;
  readonly feed: Pick<Journal, 'after' | 'positionOf'>;
  readonly deliveries: Pick<Deliveries, 'counts'>;
  readonly endpoints: Pick<EndpointRows, 'list'>;
  /** Those that the run was started with; those that were added are found in their rows. `kept`: the name that its deliveries are kept
   *  under. */
  readonly receivers: readonly { readonly label: string; readonly kept: string }[];
  readonly clock: Clock;
}

/** Committed events are published within a second. After this time something is wrong. */
const PUBLISHED_WITHIN_MS = 5 * 60_000;
/** A sweep is late after this number of intervals, since it may take long, and fail once. */
const SWEEP_INTERVALS = 2;

/** Asks everything that can tell how the run is. */
export async function healthOf(parts: HealthParts): Promise<Health> {
  const now = parts.clock();
  const looks = await Promise.all(
    parts.watched.flatMap(watched =>
      watched.workspace.processes.map(process => look(parts, watched, process, now)),
    ),
  );
  const { feed } = parts;
  const waiting = feed.after(feed.positionOf(PUBLISHER), 1)[0]?.at;
  const stuck = waiting !== undefined && now - waiting > PUBLISHED_WITHIN_MS;
  const late = [
    ...looks.flatMap(each => each.late),
    ...(stuck ? [`events: not published for ${showAbout(now - waiting)}`] : []),
  ];
  return {
    status: late.length > 0 ? 'late' : 'ok',
    late,
    processes: looks.map(({ health }) => health),
    ...(waiting !== undefined && { unpublishedSince: iso(waiting) }),
    endpoints: await endpointsOf(parts),
  };
}

/** A process is late after the time after which a stall is announced; before its baseline,
 *  when nothing was read for that long. Time before this run began does not count, so that the run can
 *  catch up. */
async function look(
  { snapshots, passes }: HealthParts,
  { workspace }: Watched,
  { id, changes, sweep }: ProcessSettings,
  now: number,
): Promise<{ readonly health: ProcessHealth; readonly late: readonly string[] }> {
  const key = { workspace: workspace.name, processId: id };
  const { baselined, hold, rechecks, ...state } = await snapshots.readState(key);
  const completedAt = happenedAt(state.completedAt, now);
  const { movedAt, sweptAt, startedAt, failures } = passes.of(key, now);
  const name = `${key.workspace}/${id}`;
  const silence = now - (baselined ? Math.max(completedAt, startedAt) : movedAt);
  const longest = maxSilenceMs(changes.slowest);
  const what = baselined ? 'no pass was completed' : 'its baseline has not moved on';
  const kept = state.changesFailure ?? state.sweepFailure;
  const failure = failures.changes ?? failures.sweep ?? kept?.reason;
  const why = (reason: string | undefined) => (reason === undefined ? '' : `: ${reason}`);
  return {
    health: {
      workspace: key.workspace,
      process: id,
      baselined,
      ...(completedAt > 0 && { completedAt: iso(completedAt) }),
      ...(hold && { onHoldSince: iso(hold.since) }),
      skipped: [...rechecks.values()].filter(({ isReported }) => isReported).length,
      ...(failure !== undefined && { failure }),
    },
    late: [
      ...(silence > longest ? [`${name}: ${what} for ${showAbout(silence)}${why(failures.changes)}`] : []),
      ...(baselined && now - sweptAt > SWEEP_INTERVALS * sweep + longest
        ? [`${name}: no sweep was completed for ${showAbout(now - sweptAt)}${why(failures.sweep)}`]
        : []),
    ],
  };
}

async function endpointsOf({ deliveries, endpoints, receivers }: HealthParts): Promise<EndpointHealth[]> {
  const rows = new Map((await endpoints.list()).map(row => [row.name, row]));
  const given = new Set(receivers.map(({ kept }) => kept));
  const added = [...rows.values()].filter(({ name, settings }) => settings && !given.has(name));
  const all = [...receivers, ...added.map(({ name }) => ({ label: name, kept: name }))];
  const look = async ({ label, kept }: HealthParts['receivers'][number]): Promise<EndpointHealth> => {
    const { pending, oldest, dead } = await deliveries.counts(kept);
    const { stopped, paused, failing } = rows.get(kept)?.health ?? {};
    return {
      name: label,
      undelivered: pending,
      ...(oldest !== undefined && { since: iso(oldest) }),
      dead,
      ...(failing && { failingSince: iso(failing.since) }),
      ...(paused && { pausedSince: iso(paused.at) }),
      ...(stopped && { stopped: stopped.reason }),
    };
  };
  return Promise.all(all.map(look));
}

const iso = (at: number): string => new Date(at).toISOString();

/** Hosts that a request may name. Under another name, which leads to this machine, any web page could ask
 *  from a browser here. */
const OURS = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** Answers `GET /healthz` on 127.0.0.1: 200 when all is well, 503 when something is late or can't be known; as JSON.
 *  @throws when the port can't be used */
export async function startHealthServer(port: number, health: () => Promise<Health>): Promise<LocalServer> {
  const server = await listenLocally(port, async ({ method = '', url = '', headers }, response) => {
    if (!OURS.has(hostnameOf(headers.host))) return send(response, 403, { error: 'Ask 127.0.0.1.' });
    if (url.split('?')[0] !== '/healthz') return send(response, 404, { error: 'There is GET /healthz.' });
    if (method !== 'GET' && method !== 'HEAD') return send(response, 405, { error: 'Use GET.' });
    const found = await health().catch(() => undefined);
    if (!found) return send(response, 503, { status: 'late', late: ['what is kept can not be read'] });
    return send(response, found.status === 'ok' ? 200 : 503, found);
  }).catch(({ code }: NodeJS.ErrnoException) => {
    throw new Error(
      `Nobody can listen on port ${port} of this machine (${code}). Choose another one with --health PORT.`,
    );
  });
  return { ...server, url: `${server.url}/healthz` };
}

/** @returns where it answers until `closers` close; undefined when no port is given */
export async function serveHealth(
  closers: AsyncDisposableStack,
  port: number | undefined,
  parts: HealthParts,
): Promise<string | undefined> {
  if (port === undefined) return undefined;
  const server = await startHealthServer(port, () => healthOf(parts));
  closers.defer(server.stop);
  return server.url;
}

function hostnameOf(host = ''): string {
  return URL.parse(`http://${host}`)?.hostname ?? '';
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(`${JSON.stringify(body, null, 2)}\n`);
}
