import * as z from 'zod';
import { inParallel } from '../basics/in-parallel.ts';
import { holdEnd, wakesAt } from '../delivery/health.ts';
import { rateOf } from '../model/endpoint.ts';
import type { Attempt, Standing } from '../store/deliveries.ts';
import type { EndpointRow, Health } from '../store/endpoint-rows.ts';
import { cursorOf, iso, readCursor } from './cursor.ts';
import { type Found, findEndpoint, type House } from './house.ts';
import { COUNTED, PAGE, WIDTH } from './operations-house.ts';
import type { AnswerOf } from './protocol/answers.ts';
import type { EndpointStatus } from './protocol/endpoints.ts';
import type { RequestOf } from './protocol/requests.ts';

/** How many attempts are searched for the last failure. */
const LOOKED_AT = 20;

/** The status of one endpoint: its health, and how much waits for it. */
export async function statusOfEndpoint(name: string, house: House): Promise<EndpointStatus> {
  return statusOf(await findEndpoint(name, house), house);
}

/** A page of the endpoints, by name. */
export async function endpointsPage(
  { cursor, limit = PAGE }: RequestOf<'endpoints'>,
  house: House,
): Promise<AnswerOf<'endpoints'>> {
  const behind = readCursor('endpoints', cursor, z.string());
  const { endpoints, last } = await endpointsBehind(behind, limit, house);
  return { endpoints, ...(last !== undefined && { cursor: cursorOf('endpoints', last) }) };
}

/** The next endpoints by name after `behind`, at most `limit`. `last`: the last of them, where there are
 *  more. */
export async function endpointsBehind(
  behind: string | undefined,
  limit: number,
  house: House,
): Promise<{ endpoints: EndpointStatus[]; last: string | undefined }> {
  const there = (await allEndpoints(house)).filter(
    ({ endpoint: { name } }) => behind === undefined || name > behind,
  );
  const shown = there.slice(0, limit);
  const statuses = new Map<Found, EndpointStatus>();
  await inParallel(shown, WIDTH, async found => void statuses.set(found, await statusOf(found, house)));
  return {
    endpoints: shown.flatMap(found => statuses.get(found) ?? []),
    last: there.length > limit ? shown.at(-1)?.endpoint.name : undefined,
  };
}

/** All endpoints, by name. */
export async function allEndpoints({
  configured,
  rows,
}: Pick<House, 'configured' | 'rows'>): Promise<Found[]> {
  const found = new Map((await rows.list()).map(row => [row.name, row]));
  const fixed = new Map(configured.map(endpoint => [endpoint.name, endpoint]));
  return [...new Set([...fixed.keys(), ...found.keys()])].toSorted().flatMap(name => {
    const row = found.get(name);
    const endpoint = fixed.get(name) ?? row?.settings;
    // A row without settings whose endpoint was taken out of the configuration is left out.
    return endpoint ? [{ endpoint, isConfigured: fixed.has(name), row }] : [];
  });
}

async function statusOf({ endpoint, isConfigured, row }: Found, house: House): Promise<EndpointStatus> {
  const { name, kind, filter, keepSuccesses = true } = endpoint;
  const health = row?.health ?? {};
  const standing = await house.deliveries.standing(name, COUNTED);
  const attempts = await house.deliveries.attempts(name, LOOKED_AT);
  return {
    ...{ name, kind, isConfigured, keepSuccesses },
    overrides: isConfigured && row?.settings !== undefined,
    ...(filter && { filter }),
    perSecond: rateOf(endpoint),
    ...(row?.origin !== undefined && { origin: row.origin }),
    ...stateOf(health, house.clock(), { attempts: keepSuccesses ? attempts : [], standing }),
    ...countsOf(standing),
    ...(standing.oldest !== undefined && { oldestWaiting: iso(standing.oldest) }),
    ...replayOf(row, standing),
    ...lastFailureOf(attempts),
  };
}

/** The replay whose deliveries are added, or the last one while some of them wait. */
function replayOf(
  { replay, replayed }: Pick<EndpointRow, 'replay' | 'replayed'> = {},
  { oldestReplayed }: Standing,
): Pick<EndpointStatus, 'replay'> {
  const shown = replay ?? (oldestReplayed === undefined ? undefined : replayed);
  if (!shown) return {};
  const { since, until, startedAt, added } = shown;
  const isSent = Math.floor((100 * ((oldestReplayed ?? since) - since)) / (until - since));
  const percent = Math.min(99, Math.max(0, isSent));
  const times = { since: iso(since), until: iso(until), startedAt: iso(startedAt) };
  return { replay: { ...times, added, ...(!replay && { percent }) } };
}

/** How much waits and was given up, counted only up to a limit. */
export function countsOf({ pending, dead }: Standing): Pick<EndpointStatus, 'waiting' | 'dead'> {
  return { waiting: countOf(pending), dead: countOf(dead) };
}

export function countOf(counted: number): EndpointStatus['dead'] {
  return { atLeast: counted, isExact: counted < COUNTED };
}

/** The state by its health. A start forgets failures: then its attempts count, where those that succeeded are kept. */
function stateOf(
  health: Health,
  now: number,
  { attempts, standing }: { readonly attempts: readonly Attempt[]; readonly standing: Standing },
): Pick<EndpointStatus, 'state' | 'since' | 'reason' | 'nextTryAt'> {
  const { paused, stopped, failing, failures } = health;
  const notBefore = holdEnd(health, now);
  if (paused) return { state: 'paused', since: iso(paused.at) };
  if (stopped) return { state: 'stopped', since: iso(stopped.at), reason: stopped.reason };
  const next = Math.max(notBefore, wakesAt(health, now) ?? 0);
  const nextTry = next > now ? { nextTryAt: iso(next) } : {};
  if (failing) return { state: 'failing', since: iso(failing.since), ...nextTry };
  const since = failures && { since: iso(failures.since) };
  if (notBefore > now) return { state: 'held', ...since, ...nextTry };
  if (failures) return { state: 'retrying', ...since, ...nextTry };
  const hasOnlyFailed = attempts.length > 0 && attempts.every(({ failure }) => failure !== undefined);
  if (!hasOnlyFailed) return { state: 'well', ...nextTry };
  return { state: standing.pending === 0 && standing.dead > 0 ? 'failing' : 'retrying', ...nextTry };
}

function lastFailureOf(attempts: readonly Attempt[]): Pick<EndpointStatus, 'lastFailure'> {
  const failed = attempts.find(({ failure }) => failure !== undefined);
  if (failed?.failure === undefined) return {};
  const { at, failure, status, answer } = failed;
  return {
    lastFailure: {
      at: iso(at),
      failure,
      ...(status !== undefined && { status }),
      ...(answer !== undefined && { answer }),
    },
  };
}
