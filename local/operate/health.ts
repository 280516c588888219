import type { ServerResponse } from 'node:http';
import { type Clock, happenedAt } from '../../functions/basics/clock.ts';
import type { Mode, ProcessKey } from '../../functions/basics/process.ts';
import { maxSilenceMs, type ProcessSettings } from '../../functions/config/workspace.ts';
import { withCompletions } from '../../functions/handlers/workspace-run.ts';
import { type Disk, isLowDisk, lowDiskText } from '../../functions/model/disk.ts';
import { type Journal, PUBLISHER } from '../../functions/store/sqlite/journal.ts';
import type { Deliveries, EndpointRows, Snapshots, WorkspaceRows } from '../../functions/store/store.ts';
import { showAbout } from '../basics/duration.ts';
import { type LocalServer, listenLocally } from '../basics/listener.ts';
import type { Watched } from '../settings/watched.ts';

/** The passes of a process in this run; times are by our clock, in ms since 1970. */
interface Freshness {
  /** When the run began. */
  readonly startedAt: number;
  /** When a pass last made progress; before that, the start of the run. */
  readonly movedAt: number;
  /** When a sweep last completed; before that, the start of the run. */
  readonly sweptAt: number;
  /** Whether a `changes` pass completed, or projects of the baseline were read. */
  readonly isPolled: boolean;
  /** The projects of the baseline that were read when the pass began. */
  readonly readBefore?: number;
  /** Why the last pass of each mode failed; undefined if it did not. */
  readonly failures: Readonly<Partial<Record<Mode, string>>>;
}

/** Remembers the results of the passes of a run. */
export class PassWatch {
  readonly #startedAt: number;
  readonly #processes = new Map<string, Freshness>();

  constructor(startedAt: number) {
    this.#startedAt = startedAt;
  }

  /** The state `now`. If the clock was set back, times start again from now. */
  of(process: ProcessKey, now: number): Freshness {
    return this.#set(process, ({ startedAt, movedAt, sweptAt }) => ({
      startedAt: Math.min(startedAt, now),
      movedAt: Math.min(movedAt, now),
      sweptAt: Math.min(sweptAt, now),
    }));
  }

  /** Whether each process was polled in this run. */
  arePolled(processes: readonly ProcessKey[], now: number): boolean {
    return processes.every(process => this.of(process, now).isPolled);
  }

  /** A pass made progress. */
  moved(process: ProcessKey & { readonly mode?: string; readonly done?: number }, at: number): void {
    const { mode, done } = process;
    this.#set(process, ({ isPolled, readBefore = done }) => ({
      movedAt: at,
      // A pass reports where it begins first: that is work of an earlier run.
      ...(mode === 'baseline' && { readBefore, isPolled: isPolled || done !== readBefore }),
    }));
  }

  /** A pass completed. */
  passed(process: ProcessKey, mode: Mode, at: number): void {
    this.#set(process, ({ failures: { [mode]: _, ...failures } }) => ({
      ...{ movedAt: at, failures },
      ...(mode === 'sweep' ? { sweptAt: at } : { isPolled: true }),
    }));
  }

  failed(process: ProcessKey, mode: Mode, reason: string): void {
    this.#set(process, ({ failures }) => ({ failures: { ...failures, [mode]: reason } }));
  }

  #set({ workspace, processId }: ProcessKey, change: (known: Freshness) => Partial<Freshness>): Freshness {
    const key = JSON.stringify([workspace, processId]);
    const startedAt = this.#startedAt;
    const unknown = { startedAt, movedAt: startedAt, sweptAt: startedAt, isPolled: false, failures: {} };
    const known = this.#processes.get(key) ?? unknown;
    const changed = { ...known, ...change(known) };
    this.#processes.set(key, changed);
    return changed;
  }
}

/** The health of a run. Times are in ISO 8601. */
export interface Health {
  readonly status: 'ok' | 'late';
  /** The late parts, a line for each. */
  readonly late: readonly string[];
  readonly processes: readonly ProcessHealth[];
  /** When the oldest unpublished event was committed. */
  readonly unpublishedSince?: string;
  /** A failing endpoint does not count as late: its events are queued. */
  readonly endpoints: readonly EndpointHealth[];
  /** The disk with the data. A low one counts as late: it needs an operator before it is full. */
  readonly disk?: Disk;
}

interface ProcessHealth {
  readonly workspace: string;
  readonly process: string;
  readonly baselined: boolean;
  /** When a pass last completed. */
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
  /** Since when every attempt has failed: one probe at a time is sent. */
  readonly failingSince?: string;
  /** When it was paused. */
  readonly pausedSince?: string;
  /** Why delivery is stopped in this run. */
  readonly stopped?: string;
}

export interface HealthParts {
  readonly watched: readonly Watched[];
  readonly passes: Pick<PassWatch, 'of'>;
  readonly snapshots: Pick<Snapshots, 'readState'>;
  readonly workspaces: Pick<WorkspaceRows, 'completions'>;
  readonly feed: Pick<Journal, 'after' | 'positionOf'>;
  readonly deliveries: Pick<Deliveries, 'counts'>;
  readonly endpoints: Pick<EndpointRows, 'list'>;
  /** The receivers at the start of the run; those added at runtime are in their rows. `kept`: the name that its
   *  deliveries are stored under. */
  readonly receivers: readonly { readonly label: string; readonly kept: string }[];
  readonly disk: () => Promise<Disk | undefined>;
  readonly clock: Clock;
}

/** Writes the metrics of a run with its health, if that is known. */
interface MetricsText {
  text(health: Health | undefined): string;
}

/** Committed events are published within a second. After this time they are late. */
const PUBLISH_TIMEOUT_MS = 5 * 60_000;
/** A sweep is late after this number of intervals, because it may take long, and fail once. */
const SWEEP_INTERVALS = 2;

/** Collects the health of the run. */
export async function healthOf(parts: HealthParts): Promise<Health> {
  const now = parts.clock();
  const checks = (await Promise.all(parts.watched.map(watched => checksOf(parts, watched, now)))).flat();
  const { feed } = parts;
  const disk = await parts.disk();
  const waiting = feed.after(feed.positionOf(PUBLISHER), 1)[0]?.at;
  const stuck = waiting !== undefined && now - waiting > PUBLISH_TIMEOUT_MS;
  const late = [
    ...checks.flatMap(each => each.late),
    ...(disk && isLowDisk(disk) ? [lowDiskText(disk)] : []),
    ...(stuck ? [`events: not published for ${showAbout(now - waiting)}`] : []),
  ];
  return {
    status: late.length > 0 ? 'late' : 'ok',
    late,
    processes: checks.map(({ health }) => health),
    ...(waiting !== undefined && { unpublishedSince: iso(waiting) }),
    endpoints: await endpointsOf(parts),
    ...(disk && { disk }),
  };
}

async function checksOf({ snapshots, workspaces, passes }: HealthParts, watched: Watched, now: number) {
  const { name, processes } = watched.workspace;
  const parts = { passes, snapshots: withCompletions(snapshots, await workspaces.completions(name)) };
  return Promise.all(processes.map(process => check(parts, watched, process, now)));
}

/** A process is late when it would be reported as stalled; before its baseline, when nothing was read for that long.
 *  Time before this run does not count, so that the run can catch up. */
async function check(
  { snapshots, passes }: Pick<HealthParts, 'snapshots' | 'passes'>,
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
  const what = baselined ? 'no pass completed' : 'no progress of the baseline';
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
        ? [`${name}: no sweep completed for ${showAbout(now - sweptAt)}${why(failures.sweep)}`]
        : []),
    ],
  };
}

async function endpointsOf({
  deliveries,
  endpoints,
  receivers,
}: Pick<HealthParts, 'deliveries' | 'endpoints' | 'receivers'>): Promise<EndpointHealth[]> {
  const rows = new Map((await endpoints.list()).map(row => [row.name, row]));
  const given = new Set(receivers.map(({ kept }) => kept));
  const added = [...rows.values()].filter(({ name, settings }) => settings && !given.has(name));
  const all = [...receivers, ...added.map(({ name }) => ({ label: name, kept: name }))];
  const check = async ({ label, kept }: HealthParts['receivers'][number]): Promise<EndpointHealth> => {
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
  return Promise.all(all.map(check));
}

const iso = (at: number): string => new Date(at).toISOString();

/** Hosts that a request may name. Another name could resolve to this machine, and any web page could then send requests
 *  from a browser here. */
const OURS = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** Answers `GET /healthz` on 127.0.0.1 as JSON: 200 if healthy, 503 if something is late or unknown; and `GET
 *  /metrics` in Prometheus' text format.
 *  @throws if the port can't be used */
export async function startHealthServer(
  port: number,
  health: () => Promise<Health>,
  metrics: MetricsText,
): Promise<LocalServer> {
  const server = await listenLocally(port, async ({ method = '', url = '', headers }, response) => {
    if (!OURS.has(hostnameOf(headers.host))) return send(response, 403, { error: 'Use the host 127.0.0.1.' });
    const path = url.split('?')[0];
    if (path !== '/healthz' && path !== '/metrics')
      return send(response, 404, { error: 'Not found; use GET /healthz or GET /metrics.' });
    if (method !== 'GET' && method !== 'HEAD') return send(response, 405, { error: 'Use GET.' });
    const found = await health().catch(() => undefined);
    if (path === '/metrics') return sendMetrics(response, metrics.text(found));
    if (!found) return send(response, 503, { status: 'late', late: ['the store cannot be read'] });
    return send(response, found.status === 'ok' ? 200 : 503, found);
  }).catch(({ code }: NodeJS.ErrnoException) => {
    throw new Error(`Could not listen on port ${port} (${code}). Choose another one with --health PORT.`);
  });
  return { ...server, url: `${server.url}/healthz` };
}

/** @returns its address until `closers` close; undefined without a port */
export async function serveHealth(
  closers: AsyncDisposableStack,
  port: number | undefined,
  health: () => Promise<Health>,
  metrics: MetricsText,
): Promise<string | undefined> {
  if (port === undefined) return undefined;
  const server = await startHealthServer(port, health, metrics);
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

function sendMetrics(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
  response.end(text);
}
