import { assert } from '../basics/assert.ts';
import type { Clock } from '../basics/clock.ts';
import {
  pauseAt,
  SHARE_MS,
  type WorkspacePause,
  type WorkspaceRow,
  withoutShare,
  withProbe,
  withShare,
} from '../model/workspace-row.ts';
import { DeadlineError } from '../service/errors.ts';
import type { RequestShare } from '../service/service.ts';
import type { WorkspaceRows } from '../store/store.ts';

interface RunShareRequest {
  readonly workspace: string;
  /** The name of the run, which is unique. */
  readonly run: string;
  /** The concurrent requests that the workspace allows. */
  readonly ceiling: number;
  /** True for a sweep or baseline. */
  readonly isBulk: boolean;
  /** An operator requested the pass: it checks whether the service answers again, even before the pause is
   *  over. */
  readonly isAsked: boolean;
}

/** What a run got. `full`: other runs have all shares. `isProbe`: the workspace was paused, and this run
 *  first checks whether its service answers again. */
export type Taken =
  | { readonly as: 'taken'; readonly share: RunShare; readonly isProbe: boolean }
  | { readonly as: 'full' }
  | { readonly as: 'paused'; readonly pause: WorkspacePause };

/** A share of this age is renewed, so that a request under it ends before the share does. */
const RENEW_MS = 20_000;
/** The first share of a sweep is renewed sooner: by then other runs had time to take theirs, and it may
 *  take all that is free. */
const GROW_MS = 2_000;
/** The number of slow renewals after which the share counts as lost. */
const MAX_RENEWALS = 3;

/** Takes a share of a workspace's concurrent requests, unless it is paused. */
export async function takeShare(rows: WorkspaceRows, request: RunShareRequest, clock: Clock): Promise<Taken> {
  const { workspace, run, ceiling, isBulk, isAsked } = request;
  // The last row that was read decides: another run may have written between two reads.
  const last: { pause?: WorkspacePause | undefined; isProbe: boolean; at: number } = {
    isProbe: false,
    at: 0,
  };
  const row = await rows.change(workspace, before => {
    const now = clock();
    // If the answer to an earlier try was lost, that try has decided: a pause may be this run's own, or later.
    const isTaken = before.shares[run] !== undefined;
    last.pause = isAsked || isTaken ? undefined : pauseAt(before, now);
    if (!isTaken) last.isProbe = before.pause !== undefined;
    last.at = now;
    if (last.pause) return undefined;
    const after = withShare(before, { run, now, ceiling, isBulk });
    if (after.shares[run]) return last.isProbe ? withProbe(after, now) : after;
    // Runs that repeatedly find no share need not write it each time.
    return after.wantedAt === before.wantedAt ? undefined : after;
  });
  if (last.pause) return { as: 'paused', pause: last.pause };
  const mine = row.shares[run];
  if (!mine) return { as: 'full' };
  const share = new RunShare(rows, request, clock, { count: mine.count, at: last.at });
  return { as: 'taken', share, isProbe: last.isProbe };
}

/** In the report of a pass that stopped because its run had no share. */
export const SHARE_LOST = 'other runs use all its concurrent requests';

/** The share of a run is lost: the run was suspended for longer than a share lasts, or a workspace with
 *  one concurrent request gave it to another run. As at the deadline, the next run resumes the pass. */
export class ShareLostError extends DeadlineError {
  constructor(workspace: string) {
    super(`Workspace ${workspace}`, `${SHARE_LOST}; the next pass continues`);
  }
}

/** The share of one run. It is renewed before requests, so a killed run loses it within a minute. */
export class RunShare implements RequestShare {
  readonly #rows: WorkspaceRows;
  readonly #request: RunShareRequest;
  readonly #clock: Clock;
  #count: number;
  #renewedAt: number;
  #underWay = 0;
  #renewal: Promise<void> | undefined;
  #closed: Error | undefined;
  #isFirst = true;

  /** `at`: when it was taken, which may be long ago if the answer was slow. */
  constructor(
    rows: WorkspaceRows,
    request: RunShareRequest,
    clock: Clock,
    { count, at }: { readonly count: number; readonly at: number },
  ) {
    this.#rows = rows;
    this.#request = request;
    this.#clock = clock;
    this.#count = count;
    this.#renewedAt = at;
  }

  get count(): number {
    return this.#count;
  }

  begin(): void {
    this.#underWay += 1;
  }

  end(): void {
    this.#underWay -= 1;
    assert(this.#underWay >= 0, 'share.requests-are-counted');
  }

  /** @throws ShareLostError, or what the share was closed with */
  async hold(): Promise<void> {
    // A renewal may take until the next one is due, or the share has ended.
    for (let tried = 0; tried < MAX_RENEWALS; tried++) {
      if (this.#closed) throw this.#closed;
      if (this.#isDue) this.#renewal ??= this.#renew();
      await this.#renewal;
      if (this.#closed) throw this.#closed;
      if (this.#count === 0) break;
      if (!this.#isDue) return;
    }
    throw new ShareLostError(this.#request.workspace);
  }

  /** Also when the clock was set back since the last renewal. */
  get #isDue(): boolean {
    const age = this.#clock() - this.#renewedAt;
    const due = this.#isFirst && this.#request.isBulk ? GROW_MS : RENEW_MS;
    return age >= due || age < 0;
  }

  /** Fails all further requests of the run with this error. */
  close(reason: Error): void {
    this.#closed = reason;
  }

  /** Gives the share back, in one write with the changes that `change` makes to the row. */
  async release(change: (row: WorkspaceRow) => WorkspaceRow = row => row): Promise<void> {
    this.#count = 0;
    const { workspace, run } = this.#request;
    await this.#rows.change(workspace, row => change(withoutShare(row, run)));
  }

  async #renew(): Promise<void> {
    const { workspace, run, ceiling, isBulk } = this.#request;
    const began = this.#clock();
    try {
      const row = await this.#rows.change(workspace, before => {
        const now = this.#clock();
        const isLost = before.shares[run] === undefined || now - this.#renewedAt >= SHARE_MS;
        // With a shared connection, a run may make requests of the other run's share: these are the other's.
        const underWay = isLost ? 0 : Math.min(this.#underWay, this.#count);
        return withShare(before, { run, now, ceiling, isBulk, underWay });
      });
      this.#count = row.shares[run]?.count ?? 0;
      this.#renewedAt = began;
      this.#isFirst = false;
    } finally {
      this.#renewal = undefined;
    }
  }
}
