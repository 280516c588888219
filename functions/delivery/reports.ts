import { inParallel } from '../basics/in-parallel.ts';
import { type Log, logEvents } from '../basics/telemetry.ts';
import { serialise } from '../changes/fit-event.ts';
import type { NewDelivery } from '../model/delivery.ts';
import type { EndpointSettings } from '../model/endpoint.ts';
import type { EndpointRow, Health, Report } from '../model/endpoint-row.ts';
import type { HealthEvent } from '../model/event.ts';
import { healthEventId } from '../model/event-id.ts';
import { wants } from '../model/filter.ts';
import { closedTo, joined } from './health.ts';
import { tryToWake } from './queues.ts';
import type { Registry } from './registry.ts';
import type { DeliveryPorts } from './settler.ts';

/** Events about the health of an endpoint, for the others whose filter names their types. A transition writes its
 *  report into the endpoint's row in the same change, so that it has one id even after a crash. The run that made it
 *  adds the deliveries and removes the report; otherwise the next tick does. */

/** An attempt that ended. `depth` is the smallest of its events. */
interface Attempted {
  readonly now: number;
  readonly depth: number;
  readonly origin: string | undefined;
}

/** The failure to deliver an event of this depth is not reported: else two endpoints that refuse the reports about each
 *  other would cause them forever. */
const MAX_DEPTH = 1;
const MAX_OPEN = 50;

/** Adds a report if the failed attempt made the endpoint failing or stopped. An endpoint that was reported as failing,
 *  and has accepted nothing since, is not reported again, even if an operator resumed it in between. */
export function reportProblem(
  health: Health,
  { now, depth: ofAttempt, origin, reason }: Attempted & { readonly reason: string },
): Health {
  const { stopped, failing, failures, reports: { problem } = {} } = health;
  const reached = failures ? (failures.depth ?? 0) : ofAttempt;
  if (stopped) {
    if (problem?.as === 'stopped' && problem.since === stopped.at) return health;
    const depth = Math.min(reached, MAX_DEPTH);
    const { at: since, reason } = stopped;
    return opened(health, { type: 'endpoint.stopped', depth, since, reason, origin }, now, 'stopped');
  }
  if (!failing || problem?.as === 'failing' || reached > MAX_DEPTH) return health;
  const { since } = failing;
  return opened(health, { type: 'endpoint.failing', depth: reached, since, reason, origin }, now, 'failing');
}

/** Adds a report if the endpoint accepts an event again after a reported problem. */
export function reportRecovery(health: Health, now: number, origin: string | undefined): Health {
  const { problem, ...reports } = health.reports ?? {};
  if (!problem) return health;
  const { since, depth } = problem;
  return opened({ ...health, reports }, { type: 'endpoint.recovered', depth, since, origin }, now);
}

/** Counts deliveries that are given up. `giveUpReported` reports them. */
export function gaveUp(health: Health, now: number, reason: string, deliveries = 1): Health {
  const { count = 0, since = now } = health.reports?.givenUp ?? {};
  const givenUp = { count: count + deliveries, since, reason };
  return { ...health, reports: { ...health.reports, givenUp } };
}

/** Deliveries that are given up within this time are reported together. A failing endpoint loses one with each
 *  probe. */
const GATHERED_MS = 60_000;
const GATHERED_FAILING_MS = 60 * 60_000;

function withGivenUp(health: Health, now: number, origin: string | undefined): Health {
  const { givenUp, ...reports } = health.reports ?? {};
  if (!givenUp || !isDue(health, now)) return health;
  const { count: deliveries, since, reason } = givenUp;
  const report = { type: 'delivery.dead', depth: 0, since, reason, deliveries, origin } as const;
  return opened({ ...health, reports }, report, now);
}

function isDue({ reports, failing }: Health, now: number): boolean {
  const { since = now } = reports?.givenUp ?? {};
  return Math.abs(now - since) >= (failing ? GATHERED_FAILING_MS : GATHERED_MS);
}

function opened(
  { reports = {}, ...health }: Health,
  report: Omit<Report, 'version' | 'at'>,
  now: number,
  as?: 'failing' | 'stopped',
): Health {
  const version = Math.max(now, (reports.version ?? 0) + 1);
  const { open = [] } = reports;
  const problem = as && { problem: { as, since: report.since, depth: report.depth } };
  const all = [...open, { ...report, version, at: now }].slice(-MAX_OPEN);
  return { ...health, reports: { ...reports, ...problem, open: all, version } };
}

/** A tick leaves younger reports to the run that made them: both would add the deliveries. */
const MIN_AGE_MS = 5_000;

/** Whether a tick must work off reports of the endpoint. A clock that was set back delays none. */
export function hasReports(health: Health, now: number): boolean {
  const isOpen = health.reports?.open?.some(({ at }) => Math.abs(now - at) >= MIN_AGE_MS) === true;
  return isOpen || isDue(health, now);
}

/** The event of a report. The same report gives the same bytes. */
export function healthEvent(
  { name, kind }: Pick<EndpointSettings, 'name' | 'kind'>,
  { type, version, depth, at, since, reason, deliveries, origin }: Report,
): HealthEvent {
  return {
    specversion: '1.0',
    id: healthEventId(name, version, depth),
    source: `/endpoints/${name}`,
    type,
    time: iso(at),
    datacontenttype: 'application/json',
    sequence: String(version),
    data: {
      endpoint: { name, kind, ...(origin !== undefined && { origin }) },
      since: iso(since),
      ...(reason !== undefined && { reason }),
      ...(deliveries !== undefined && { deliveries }),
    },
  } as HealthEvent;
}

const iso = (time: number): string => new Date(time).toISOString();

interface ReportPorts extends Pick<DeliveryPorts, 'rows' | 'deliveries' | 'clock'> {
  readonly registry: Pick<Registry, 'all' | 'read'>;
  readonly queues: Parameters<typeof tryToWake>[2];
  readonly log: Pick<Log, 'info' | 'warn'>;
}

const CONCURRENCY = 10;

/** Adds the reports of an endpoint to the deliveries of the others that want them, then removes them. After a crash in
 *  between, it is repeated with the same ids. */
export async function sendReports(name: string, ports: ReportPorts): Promise<void> {
  const { registry, rows, clock, log } = ports;
  const all = await registry.all();
  const reported = all.find(({ endpoint }) => endpoint.name === name)?.endpoint;
  const row = await rows.change(name, row =>
    changed(row, health => withGivenUp(health, clock(), row?.origin)),
  );
  const open = row?.health.reports?.open ?? [];
  if (!reported || open.length === 0) return;
  const events = open.map(report => healthEvent(reported, report));
  const to: string[] = [];
  await inParallel(all, CONCURRENCY, async ({ endpoint }) => {
    const wanted = events.filter(event => wants(endpoint.filter ?? {}, event));
    if (endpoint.name === name || wanted.length === 0) return;
    if (await addTo(endpoint.name, wanted, ports)) to.push(endpoint.name);
  });
  const versions = new Set(open.map(({ version }) => version));
  await rows.change(name, row => changed(row, health => without(health, versions)));
  if (to.length > 0) {
    const ids = events.map(({ id }) => id);
    logEvents({ ...log, error: log.warn }, "Reported an endpoint's health.", ids, {
      ...{ code: 'endpoint.reported', endpoint: name, to: to.toSorted() },
    });
  }
}

/** The row with the health after `change`; undefined where that leaves it as it is. */
function changed(row: EndpointRow | undefined, change: (health: Health) => Health): EndpointRow | undefined {
  const health = row && change(row.health);
  return row && health !== row.health ? { ...row, health: health as Health } : undefined;
}

function without({ reports = {}, ...health }: Health, versions: ReadonlySet<number>): Health {
  const { open = [], ...rest } = reports;
  const left = open.filter(({ version }) => !versions.has(version));
  return { ...health, reports: { ...rest, ...(left.length > 0 && { open: left }) } };
}

/** @returns false if the endpoint was removed in between: then a later one of its name does not get them */
async function addTo(
  name: string,
  events: readonly HealthEvent[],
  { registry, rows, deliveries, queues, clock, log }: ReportPorts,
): Promise<boolean> {
  const found = await registry.read(name);
  if (!found) return false;
  const { endpoint, row: former } = found;
  const now = clock();
  const added = events
    .filter(event => wants(endpoint.filter ?? {}, event))
    .map(event => deliveryOf(name, event, now));
  if (added.length === 0) return false;
  await deliveries.add(added);
  let isGone = false;
  const row = await rows.change(name, row => {
    const before = row ?? (former?.settings ? undefined : { name, health: {} });
    isGone = !before || before.addedAt !== former?.addedAt;
    return before && !isGone ? { ...before, health: joined(before.health, now, false) } : undefined;
  });
  if (isGone) await deliveries.forget(added);
  else if (row && !closedTo(row.health, now)) await tryToWake(endpoint, 0, queues, log.warn);
  return !isGone;
}

function deliveryOf(endpoint: string, event: HealthEvent, due: number): NewDelivery {
  const at = Number(event.sequence);
  return { endpoint, eventId: event.id, at, body: serialise(event), attributes: {}, due };
}
