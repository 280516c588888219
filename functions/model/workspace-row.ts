import { assert } from '../basics/assert.ts';

/** What all runs that serve a workspace share. Times are in ms since 1970, by our clock. */
export interface WorkspaceRow {
  /** The requests at once that each run may make, by the name of the run. */
  readonly shares: Readonly<Record<string, Share>>;
  /** When a run last found no share, until one is taken. */
  readonly wantedAt?: number | undefined;
  /** Set while the service asks for no requests, or does not answer. */
  readonly pause?: WorkspacePause | undefined;
}

interface Share {
  readonly count: number;
  /** The run must renew it before this time. A run that was killed does not, and its share is free again. */
  readonly until: number;
  /** The share of a sweep or baseline. */
  readonly isBulk: boolean;
}

export interface WorkspacePause {
  /** No request is sent before this time; the first run after it asks whether the service answers again. */
  readonly until: number;
  readonly since: number;
  /** In words that subscribers may read. */
  readonly reason: string;
  /** How often the service was asked in vain. */
  readonly failures: number;
}

export const EMPTY_WORKSPACE: WorkspaceRow = { shares: {} };

/** How long a share lasts that is not renewed. */
export const SHARE_MS = 60_000;
/** A share that ends later than this was written by a clock that was ahead. */
const MAX_SHARE_MS = 2 * SHARE_MS;
/** For so long after a run found no share, sweeps and baselines give up half of theirs when they renew it. */
const WANTED_MS = 30_000;

interface ShareRequest {
  readonly run: string;
  readonly now: number;
  /** The requests at once that the workspace allows: `concurrency` in the configuration. */
  readonly ceiling: number;
  readonly isBulk: boolean;
  /** The requests of this run that are under way. A share never becomes smaller than that. */
  readonly underWay?: number;
}

/** Gives a run its share, or renews it. A run gets half of what is free, so that the next one finds some,
 *  too. A sweep or baseline leaves a quarter to `changes` passes; it renews its share to all that is free, or
 *  to half of its share while another run wants some. All shares together are at most the ceiling.
 *  @returns the new row; without a share for this run where none is free */
export function withShare(row: WorkspaceRow, request: ShareRequest): WorkspaceRow {
  const { run, now, ceiling, isBulk, underWay = 0 } = request;
  const { [run]: mine, ...others } = livingShares(row, now);
  const taken = Object.values(others);
  const free = ceiling - countOf(taken);
  const most = isBulk
    ? Math.min(free, maxBulk(ceiling) - countOf(taken.filter(share => share.isBulk)))
    : free;
  const count = isBulk && mine ? most : Math.ceil(most / 2);
  const isWanted = row.wantedAt !== undefined && Math.abs(now - row.wantedAt) < WANTED_MS;
  // A sweep keeps its last one, so that it need not begin again: a quarter is left to `changes` passes
  // anyway, but of one.
  const least = ceiling > 1 ? 1 : 0;
  const half = mine && Math.max(least, Math.floor(mine.count / 2));
  const wanted = half !== undefined && isBulk && isWanted ? Math.min(count, half) : count;
  const kept = Math.max(wanted, underWay);
  if (kept <= 0) return { ...row, shares: others, wantedAt: isWanted ? row.wantedAt : now };
  const isFree = kept <= underWay || countOf(taken) + kept <= ceiling;
  assert(Number.isInteger(kept) && isFree, 'share.within-ceiling');
  const share = { count: kept, until: now + SHARE_MS, isBulk };
  return { ...row, shares: { ...others, [run]: share }, wantedAt: mine ? row.wantedAt : undefined };
}

/** The row without the share of a run that has ended. */
export function withoutShare(row: WorkspaceRow, run: string): WorkspaceRow {
  const { [run]: _, ...shares } = row.shares;
  return { ...row, shares };
}

function maxBulk(ceiling: number): number {
  return Math.max(1, ceiling - Math.ceil(ceiling / 4));
}

function livingShares({ shares }: WorkspaceRow, now: number): Record<string, Share> {
  const living = ({ until }: Share) => until > now && until <= now + MAX_SHARE_MS;
  return Object.fromEntries(Object.entries(shares).filter(([, share]) => living(share)));
}

function countOf(shares: readonly Share[]): number {
  return shares.reduce((sum, { count }) => sum + count, 0);
}

/** The first pause after a failure; each failure in a row doubles it. */
const MIN_PAUSE_MS = 10_000;
const MAX_PAUSE_MS = 8 * 60_000;
/** A longer `Retry-After` counts as this: the service is asked again now and then. */
const MAX_RETRY_AFTER_MS = 10 * 60_000;
/** How long the run that asks whether the service answers again has for that. */
export const PROBE_MS = 15_000;

/** The pause at `now`; undefined without one, or when it is over and nothing has asked the service since. */
export function pauseAt({ pause }: Pick<WorkspaceRow, 'pause'>, now: number): WorkspacePause | undefined {
  // A pause that ends later than any was written by a clock that was ahead.
  return pause && pause.until > now && pause.until <= now + 2 * MAX_RETRY_AFTER_MS ? pause : undefined;
}

/** Pauses a workspace whose service failed. Of runs that fail at once the first counts.
 *  @param failure `retryAfter`: ms that the service asks to wait. `isProbe`: it is the first request after a pause */
export function withPause(
  row: WorkspaceRow,
  failure: {
    readonly now: number;
    readonly reason: string;
    readonly retryAfter?: number | undefined;
    readonly isProbe: boolean;
  },
): WorkspaceRow {
  const { now, reason, retryAfter = 0, isProbe } = failure;
  const current = pauseAt(row, now);
  const counts = isProbe || !current;
  const failures = (row.pause?.failures ?? 0) + (counts ? 1 : 0);
  const backoff = counts ? Math.min(MIN_PAUSE_MS * 2 ** (failures - 1), MAX_PAUSE_MS) : 0;
  const asked = Math.min(retryAfter, MAX_RETRY_AFTER_MS);
  const until = Math.max(now + Math.max(backoff, asked), isProbe ? 0 : (current?.until ?? 0));
  return { ...row, pause: { until, since: row.pause?.since ?? now, reason, failures } };
}

/** Lets one run ask the service after a pause: for all others the pause continues. */
export function withProbe(row: WorkspaceRow, now: number): WorkspaceRow {
  return row.pause ? { ...row, pause: { ...row.pause, until: now + PROBE_MS } } : row;
}
