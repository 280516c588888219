import * as z from 'zod';
import { mapInParallel } from '../basics/in-parallel.ts';
import { paused, pausedUntil, resumed, wakesAt } from '../delivery/health.ts';
import type { Attempt, DeliveryCounts } from '../model/delivery.ts';
import { ENDPOINT_NAME, type EndpointSettings, rateOf } from '../model/endpoint.ts';
import type { EndpointRow, Health } from '../model/endpoint-row.ts';
import { isPulled, kindSettingsOf } from '../model/kinds.ts';
import { sendsFrom } from '../model/windows.ts';
import { acted, type OperationOf, type OperationsContext } from './context.ts';
import { CONCURRENCY, cursorTo, DEFAULT_LIMIT, iso, MAX_COUNTED, readCursor } from './page.ts';
import type { EndpointStatus } from './protocol/status.ts';
import { didYouMean, Refused } from './refused.ts';

type Registry = Pick<OperationsContext, 'configured' | 'endpoints'>;

/** An endpoint and its row. */
export interface FoundEndpoint {
  readonly endpoint: EndpointSettings;
  readonly isConfigured: boolean;
  readonly row: EndpointRow | undefined;
}

/** @throws Refused for an unknown name */
export async function findEndpoint(registry: Registry, name: string): Promise<FoundEndpoint> {
  const row = await registry.endpoints.read(name);
  const configured = registry.configured.find(endpoint => endpoint.name === name);
  const endpoint = configured ?? row?.settings;
  if (!endpoint) throw await unknownEndpoint(registry, name);
  return { endpoint, isConfigured: configured !== undefined, row };
}

/** Changes the row of an endpoint; a configured one may have none yet. `change` returns undefined to leave it
 *  as it is.
 *  @throws Refused when the endpoint was removed in between, also where another one was added under its name */
export async function changeRow(
  registry: Registry,
  { endpoint: { name }, isConfigured, row: found }: FoundEndpoint,
  change: (row: EndpointRow) => EndpointRow | undefined,
): Promise<EndpointRow> {
  let isGone = false;
  const changed = await registry.endpoints.change(name, row => {
    isGone = !isConfigured && (!row?.settings || row.addedAt !== found?.addedAt);
    return isGone ? undefined : change(row ?? { name, health: {} });
  });
  if (isGone) throw await unknownEndpoint(registry, name);
  return changed ?? { name, health: {} };
}

/** For how long one operation has a name and its secret at most, in ms. */
const CLAIM_MS = 60_000;

/** The row once `by` alone may add or remove the endpoint, or change its secret, whose store has no conditional write.
 *  @throws Refused while another operation may */
export function claimed(row: EndpointRow, by: string, now: number): EndpointRow {
  const { secretClaim: other } = row;
  if (other && other.by !== by && other.until > now)
    throw new Refused('Another operation is changing this endpoint. Try again in a minute.');
  return { ...row, secretClaim: { by, until: now + CLAIM_MS } };
}

export function released(row: EndpointRow, by: string): EndpointRow {
  const { secretClaim, ...rest } = row;
  return secretClaim?.by === by ? rest : row;
}

/** The row without the claim of `by`; removed where it was made for that claim; undefined where another has it. */
export function unclaimed(row: EndpointRow | undefined, by: string): EndpointRow | 'removed' | undefined {
  if (row?.secretClaim?.by !== by) return undefined;
  const { name: _, addedAt: __, secretClaim: ___, health, ...rest } = row;
  return Object.keys({ ...rest, ...health }).length === 0 ? 'removed' : released(row, by);
}

/** The error for an unknown name, with the name that was likely meant. */
async function unknownEndpoint(registry: Registry, name: string): Promise<Refused> {
  const names = (await allEndpoints(registry)).map(({ endpoint }) => endpoint.name);
  const hint = didYouMean(name, names) || ' List them with: npx changewire endpoints list';
  return new Refused(`There is no endpoint with this name.${hint}`);
}

/** Schedules a drain of an endpoint's backlog. If that fails, the next tick does it. */
export async function wake(
  { queues, log }: Pick<OperationsContext, 'queues' | 'log'>,
  { endpoint }: FoundEndpoint,
): Promise<void> {
  await queues.wake(endpoint, 0).catch(error => {
    const about = { code: 'backlog.not-scheduled', endpoint: endpoint.name, error: String(error) };
    log.warn('Could not schedule a drain of the backlog; the next tick retries.', about);
  });
}

/** Pauses an endpoint: until it is resumed, nothing is sent to it, and new deliveries wait in rows. */
export const pauseEndpoint: OperationOf<'pause-endpoint'> = async (context, { endpoint }) => {
  const found = await findEndpoint(context, endpoint);
  const row = await changeRow(context, found, ({ health, ...rest }) => {
    return { ...rest, health: paused(health, context.clock()) };
  });
  return acted({ endpoint }, await statusOf(context, { ...found, row }));
};

/** Resumes an endpoint that is paused, stopped or failing, with a clean health: its backlog is sent at once. */
export const resumeEndpoint: OperationOf<'resume-endpoint'> = async (context, { endpoint }) => {
  const found = await findEndpoint(context, endpoint);
  const now = context.clock();
  // Pulled events are due already, but for those that a consumer has or returned with a delay.
  if (!isPulled(found.endpoint)) await context.deliveries.bringForward(endpoint, now);
  const row = await changeRow(context, found, ({ health, ...rest }) => {
    const resumedAt = isPulled(found.endpoint) && health.paused ? { resumedAt: now } : {};
    return { ...rest, health: { ...resumed(health, now), ...resumedAt } };
  });
  await wake(context, found);
  return acted({ endpoint }, await statusOf(context, { ...found, row }));
};

/** Removes an endpoint that an operation added, with its secret, backlog and dead letters. If the
 *  configuration has one of the same name, only the settings that were added are removed.
 *  @throws Refused for a configured endpoint, and for an unknown one; even then, the rest of an interrupted
 *  removal is removed */
export const removeEndpoint: OperationOf<'remove-endpoint'> = async (
  context,
  { endpoint: name, dryRun = false },
) => {
  if (dryRun) {
    const { isConfigured, row } = await findEndpoint(context, name);
    if (isConfigured && !row?.settings) throw notRemovable(context, name);
  }
  const counts = countsOf(await context.deliveries.counts(name, MAX_COUNTED));
  const answer = { endpoint: name, ...counts, dryRun };
  if (dryRun) return { answer };
  await remove(context, name);
  const text = ({ atLeast, isExact }: typeof counts.dead) => `${atLeast}${isExact ? '' : ' or more'}`;
  return acted({ endpoint: name }, answer, [
    `${text(counts.waiting)} queued`,
    `${text(counts.dead)} dead letters`,
  ]);
};

async function remove(context: OperationsContext, name: string): Promise<void> {
  // No endpoint has such a name, and the secret of another path must not be removed.
  if (!ENDPOINT_NAME.test(name)) throw await unknownEndpoint(context, name);
  if (context.configured.some(endpoint => endpoint.name === name)) return removeSettings(context, name);
  const by = context.newId();
  let wasThere = false;
  // Without settings it is not an endpoint. The claim keeps a later one of its name away until all is removed.
  await context.endpoints.change(name, row => {
    // If the answer to a write was lost, this runs again and finds the row that it wrote.
    wasThere ||= row?.settings !== undefined;
    const addedAt = context.clock();
    const mine = claimed(row ?? { name, health: {} }, by, addedAt);
    // Runs that still serve it take the row for that of a later endpoint.
    return mine.settings ? { name, health: {}, addedAt, secretClaim: mine.secretClaim } : mine;
  });
  try {
    await context.secrets.remove(name);
    await removeDeliveries(context, name, by);
  } finally {
    await context.endpoints.change(name, row => unclaimed(row, by));
  }
  if (!wasThere) throw await unknownEndpoint(context, name);
}

/** Removes the settings that were added for an endpoint of the configuration. */
async function removeSettings(context: OperationsContext, name: string): Promise<void> {
  let wasThere = false;
  await context.endpoints.change(name, row => {
    if (!row?.settings) return undefined;
    wasThere = true;
    const { settings: _, ...rest } = row;
    return rest;
  });
  if (!wasThere) throw notRemovable(context, name);
}

function notRemovable({ toApply }: OperationsContext, name: string): Refused {
  return new Refused(
    `Endpoint ${name} is defined in the configuration: remove it from its "endpoints", then ${toApply}. You can pause it until then.`,
  );
}

const MAX_REMOVED = 500;

/** Removes backlog, dead letters and threads of an endpoint: a later endpoint of this name must not get them.
 *  @param by the operation that has claimed the name
 *  @throws Refused when another one has it, because a part took too long */
export async function removeDeliveries(
  { deliveries, endpoints, clock }: Pick<OperationsContext, 'deliveries' | 'endpoints' | 'clock'>,
  name: string,
  by: string,
): Promise<void> {
  await deliveries.dropThreads(name);
  await deliveries.requeue(name, clock());
  for (;;) {
    const waiting = await deliveries.due(name, Number.MAX_SAFE_INTEGER, MAX_REMOVED);
    if (waiting.length === 0) return;
    const places = waiting.map(({ place }) => place);
    await deliveries.remove(name, places);
    // All parts together may take longer than a claim lasts.
    await endpoints.change(name, row => row && claimed(row, by, clock()));
  }
}

/** A page of the endpoints, by name. */
export const listEndpoints: OperationOf<'endpoints'> = async (context, { cursor, limit = DEFAULT_LIMIT }) => {
  const after = readCursor('endpoints', cursor, z.string());
  const { endpoints, last } = await endpointsAfter(context, after, limit);
  return { endpoints, ...cursorTo('endpoints', last) };
};

/** The next endpoints by name after `after`, at most `limit`. `last`: the last of them, where there are
 *  more. */
export async function endpointsAfter(
  context: OperationsContext,
  after: string | undefined,
  limit: number,
): Promise<{ endpoints: EndpointStatus[]; last: string | undefined }> {
  const following = (await allEndpoints(context)).filter(
    ({ endpoint: { name } }) => after === undefined || name > after,
  );
  const shown = following.slice(0, limit);
  return {
    endpoints: await mapInParallel(shown, CONCURRENCY, found => statusOf(context, found)),
    last: following.length > limit ? shown.at(-1)?.endpoint.name : undefined,
  };
}

/** All endpoints, by name. */
export async function allEndpoints({ configured, endpoints }: Registry): Promise<FoundEndpoint[]> {
  const rows = new Map((await endpoints.list()).map(row => [row.name, row]));
  const fixed = new Map(configured.map(endpoint => [endpoint.name, endpoint]));
  return [...new Set([...fixed.keys(), ...rows.keys()])].toSorted().flatMap(name => {
    const row = rows.get(name);
    const endpoint = fixed.get(name) ?? row?.settings;
    // A row without settings whose endpoint was taken out of the configuration is left out.
    return endpoint ? [{ endpoint, isConfigured: fixed.has(name), row }] : [];
  });
}

/** The state and `lastFailure` rest on these attempts. */
const MAX_LAST_ATTEMPTS = 20;

/** The status of an endpoint: its health, and the size of its backlog. */
export async function statusOf(
  { deliveries, clock }: OperationsContext,
  { endpoint, isConfigured, row }: FoundEndpoint,
): Promise<EndpointStatus> {
  const { name, kind, filter, keepSuccesses = true, record } = endpoint;
  const counts = await deliveries.counts(name, MAX_COUNTED);
  const attempts = await deliveries.attempts(name, MAX_LAST_ATTEMPTS);
  return {
    ...{ name, kind, isConfigured, keepSuccesses },
    ...kindSettingsOf(endpoint),
    overrides: isConfigured && row?.settings !== undefined,
    ...(filter && { filter }),
    ...(record === false && { record }),
    perSecond: rateOf(endpoint),
    ...(row?.origin !== undefined && { origin: row.origin }),
    ...nextMessageOf(endpoint, row?.health ?? {}, clock()),
    ...stateOf(row?.health ?? {}, clock(), endpoint, { attempts: keepSuccesses ? attempts : [], counts }),
    ...countsOf(counts),
    ...(counts.oldest !== undefined && { oldestWaiting: iso(counts.oldest) }),
    ...replayOf(row, counts),
    ...snapshotOf(row, counts),
    ...lastFailureOf(attempts),
  };
}

/** The replay in progress, or the last one while some of its deliveries wait. */
function replayOf(
  { replay, replayed }: Pick<EndpointRow, 'replay' | 'replayed'> = {},
  { oldestReplayed }: DeliveryCounts,
): Pick<EndpointStatus, 'replay'> {
  const shown = replay ?? (oldestReplayed === undefined ? undefined : replayed);
  if (!shown) return {};
  const { since, until, startedAt, added } = shown;
  const isSent = Math.floor((100 * ((oldestReplayed ?? since) - since)) / (until - since));
  const percent = Math.min(99, Math.max(0, isSent));
  const times = { since: iso(since), until: iso(until), startedAt: iso(startedAt) };
  return { replay: { ...times, added, ...(!replay && { percent }) } };
}

/** The snapshot in progress, or the last one while some of its deliveries wait. */
function snapshotOf(
  { snapshot, snapshotted }: Pick<EndpointRow, 'snapshot' | 'snapshotted'> = {},
  { oldestReplayed }: DeliveryCounts,
): Pick<EndpointStatus, 'snapshot'> {
  const isWaiting =
    snapshotted && oldestReplayed !== undefined && oldestReplayed <= snapshotted.startedAt + 2;
  const shown = snapshot ?? (isWaiting ? snapshotted : undefined);
  if (!shown) return {};
  const { startedAt, added, processes } = shown;
  const current = snapshot && processes[0] && { process: processes[0].processId };
  return { snapshot: { startedAt: iso(startedAt), added, isQueued: !snapshot, ...current } };
}

/** When the changes are sent that a chat gathers. */
export function nextMessageOf(
  endpoint: EndpointSettings,
  { window, paused, stopped }: Health,
  now: number,
): Pick<EndpointStatus, 'nextMessageAt'> {
  if (!window?.holds || paused || stopped) return {};
  const at = sendsFrom(endpoint, window, now);
  return at > now ? { nextMessageAt: iso(at) } : {};
}

function countsOf({ pending, dead }: DeliveryCounts): Pick<EndpointStatus, 'waiting' | 'dead'> {
  return { waiting: countOf(pending), dead: countOf(dead) };
}

export function countOf(counted: number): EndpointStatus['dead'] {
  return { atLeast: counted, isExact: counted < MAX_COUNTED };
}

/** The state by health. After a resume the health has no failures: then the last attempts decide, unless only failures
 *  are kept. */
function stateOf(
  health: Health,
  now: number,
  settings: EndpointSettings,
  { attempts, counts }: { readonly attempts: readonly Attempt[]; readonly counts: DeliveryCounts },
): Pick<EndpointStatus, 'state' | 'since' | 'reason' | 'nextTryAt'> {
  const { paused, stopped, failing, failures } = health;
  const notBefore = pausedUntil(health, now);
  if (paused) return { state: 'paused', since: iso(paused.at) };
  if (stopped) return { state: 'stopped', since: iso(stopped.at), reason: stopped.reason };
  const next = Math.max(notBefore, wakesAt(health, now, settings) ?? 0);
  const nextTry = next > now ? { nextTryAt: iso(next) } : {};
  if (failing) return { state: 'failing', since: iso(failing.since), ...nextTry };
  const since = failures && { since: iso(failures.since) };
  if (notBefore > now) return { state: 'throttled', ...since, ...nextTry };
  if (failures) return { state: 'retrying', ...since, ...nextTry };
  const hasOnlyFailed = attempts.length > 0 && attempts.every(({ failure }) => failure !== undefined);
  if (!hasOnlyFailed) return { state: 'healthy', ...nextTry };
  return { state: counts.pending === 0 && counts.dead > 0 ? 'failing' : 'retrying', ...nextTry };
}

function lastFailureOf(attempts: readonly Attempt[]): Pick<EndpointStatus, 'lastFailure'> {
  const failed = attempts.find(({ failure }) => failure !== undefined);
  if (failed?.failure === undefined) return {};
  const { at, failure, status, answer } = failed;
  const more = { ...(status !== undefined && { status }), ...(answer !== undefined && { answer }) };
  return { lastFailure: { at: iso(at), failure, ...more } };
}
