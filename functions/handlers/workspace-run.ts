import { logIfAssertion } from '../basics/assert.ts';
import { type Clock, happenedAt, type Random } from '../basics/clock.ts';
import type { ProcessKey } from '../basics/process.ts';
import { EventLines, type Log } from '../basics/telemetry.ts';
import type { ProcessSettings, WorkspaceSettings } from '../config/workspace.ts';
import { type Completion, completionOf, type ProcessState, withCompletion } from '../model/process-state.ts';
import { withPause } from '../model/workspace-row.ts';
import type { PassPorts } from '../pass/context/context.ts';
import { failureReason } from '../pass/failures.ts';
import { type PassReport, runPass } from '../pass/run-pass.ts';
import type { LambdaContext } from '../queue/queue.ts';
import { groupsOf } from '../schedule/groups.ts';
import { isDue as isPaceDue } from '../schedule/pace.ts';
import type { PassMessage } from '../schedule/pass-message.ts';
import { DeadlineError, ServiceError, TokenError } from '../service/errors.ts';
import type { ServiceConnection } from '../service/service.ts';
import type { Completions, Snapshots, WorkspaceRows } from '../store/store.ts';
import { ShareLostError, type Taken } from './run-share.ts';

/** A message of the queue; without `expiresAt`, it never expires. */
export type PassRequest = Omit<PassMessage, 'expiresAt'> & Partial<Pick<PassMessage, 'expiresAt'>>;

/** The result of the pass over one process, or its failure, which is already logged. */
export type Polled = { readonly report: PassReport } | { readonly error: Error };

/** The result of a message. `expired`: a later message replaces it. `full`: other runs use all that the
 *  workspace allows; the message is to be received again soon. `paused`: the service asked for a pause, or
 *  does not respond. In these cases no request was made. */
export interface PollReport {
  readonly outcome: 'polled' | 'expired' | 'full' | 'paused';
  /** By process id; empty unless `polled`. */
  readonly processes: ReadonlyMap<string, Polled>;
}

export interface PollDependencies {
  readonly workspaces: readonly WorkspaceSettings[];
  /** The filters of the configuration's endpoints. */
  readonly filters?: PassPorts['filters'];
  readonly connect: (workspace: WorkspaceSettings) => ServiceConnection;
  readonly snapshots: Snapshots;
  /** The state that the runs of each workspace share. */
  readonly rows: WorkspaceRows;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: Random;
  /** The owner's name in the leases of a run. By default each run has its own, because Lambda may invoke a
   *  function twice, even at the same time, for one request. */
  readonly owner?: (context: LambdaContext) => string;
  readonly onProgress?: (progress: PollProgress) => void;
}

export interface PollProgress extends ProcessKey {
  readonly mode: PassReport['mode'];
  readonly done: number;
  readonly total: number;
}

/** Time reserved at the end of a run for saving progress: in the last WRAP_UP_MS no project is started, in
 *  the last SAVE_RESERVE_MS no request is awaited; in a short run, in its second half. */
const WRAP_UP_MS = 60_000;
const SAVE_RESERVE_MS = 5_000;

/** The new value of the last idle pass of a process, given the saved one; undefined if the process's own
 *  rows are newer. */
export type CompletionChange = (latest: Completion | undefined) => Completion | undefined;

/** Saves the last idle passes in the rows of their groups, on top of what other runs have written there. The
 *  row of its earlier group keeps that of a process that moved, while `known`, which all rows have, has none
 *  that is later. */
export async function complete(
  rows: WorkspaceRows,
  { name, processes }: WorkspaceSettings,
  changes: ReadonlyMap<string, CompletionChange>,
  known: Completions,
): Promise<void> {
  const keys = processes.map(({ id: processId }) => ({ workspace: name, processId }));
  const hasMoved = ([id, { completedAt }]: readonly [string, Completion], from: readonly string[]) =>
    !from.includes(id) &&
    processes.some(process => process.id === id) &&
    (known.get(id)?.completedAt ?? 0) <= completedAt;
  // Those whose row lacks what an earlier row may have: what is to become of that.
  const moved = new Map<string, CompletionChange>();
  const groups = groupsOf(keys).map(group => group.processes.map(({ processId }) => processId));
  for (const [index, ids] of groups.entries()) {
    if (!ids.some(id => changes.has(id))) continue;
    await rows.complete(name, index, before => {
      const own = ids.flatMap(id => {
        const change = changes.get(id);
        const completion = change ? change(before.get(id)) : before.get(id);
        if (change && !before.has(id) && known.has(id)) moved.set(id, completion ? () => undefined : change);
        return completion ? [[id, completion] as const] : [];
      });
      const kept = [...own, ...[...before].filter(entry => hasMoved(entry, ids))];
      // If the answer to an earlier try was lost, all of them are there already.
      const isThere = ([id, one]: (typeof kept)[number]) =>
        JSON.stringify(before.get(id)) === JSON.stringify(one);
      const isSame = kept.length === before.size && kept.every(isThere);
      return isSame ? before : new Map(kept);
    });
  }
  if (moved.size > 0) await changeEarlier(rows, name, groups, moved);
}

/** Changes what the rows of earlier groups have of processes that moved: else that would count for what their own rows
 *  have since. After a process was removed, the earlier group may be one after the last. */
async function changeEarlier(
  rows: WorkspaceRows,
  name: string,
  groups: readonly (readonly string[])[],
  moved: ReadonlyMap<string, CompletionChange>,
): Promise<void> {
  for (const [index, ids] of [...groups, []].entries())
    await rows.complete(name, index, before => {
      const changeOf = (id: string) => (ids.includes(id) ? undefined : moved.get(id));
      if (![...before.keys()].some(changeOf)) return before;
      const after = [...before].flatMap(([id, one]) => {
        const change = changeOf(id);
        const completion = change ? change(one) : one;
        return completion ? [[id, completion] as const] : [];
      });
      return new Map(after);
    });
}

export function settingsOf(workspace: WorkspaceSettings, processId: string): ProcessSettings {
  return workspace.processes.find(({ id }) => id === processId) as ProcessSettings;
}

/** The snapshots, with the idle passes from the row of their group applied to the state.
 *  @param readAgain reads these for each state but the first: other runs may have completed passes since */
export function withCompletions<Reads extends Pick<Snapshots, 'readState'>>(
  snapshots: Reads,
  completions: Completions,
  readAgain = async () => completions,
): Reads {
  let next = async () => completions;
  return {
    ...snapshots,
    readState: async (process, isEventual) => {
      const read = next;
      next = readAgain;
      // Before the state: a run that finds something writes that, and only then removes what is in the row.
      const completion = (await read()).get(process.processId);
      return withCompletion(await snapshots.readState(process, isEventual), completion);
    },
  };
}

interface RunOptions {
  readonly request: PassRequest;
  readonly workspace: WorkspaceSettings;
  readonly connection: ServiceConnection;
  readonly context: LambdaContext;
  readonly owner: string;
  readonly taken: Extract<Taken, { readonly as: 'taken' }>;
}

/** One run over the processes of one message. */
export class WorkspaceRun {
  readonly #dependencies: PollDependencies;
  readonly #options: RunOptions;
  readonly #deadline: number;
  readonly #stopAt: number;
  /** A confirmed failure that concerns the whole workspace. */
  #outage: ServiceError | undefined;
  /** True until the first request after a pause is answered. */
  #isProbing: boolean;
  readonly #failed = new Set<string>();
  /** When a probe last found that the service answers. */
  #answeredAt = Number.NEGATIVE_INFINITY;
  #confirming: Promise<void> = Promise.resolve();
  #large: Promise<void> = Promise.resolve();

  constructor(dependencies: PollDependencies, options: RunOptions) {
    this.#dependencies = dependencies;
    this.#options = options;
    this.#isProbing = options.taken.isProbe;
    const [began, remaining] = [dependencies.clock(), options.context.getRemainingTimeInMillis()];
    const endLess = (reserve: number) => began + Math.max(remaining - reserve, remaining / 2);
    this.#deadline = endLess(SAVE_RESERVE_MS);
    this.#stopAt = endLess(WRAP_UP_MS);
  }

  async poll(): Promise<PollReport> {
    const { request } = this.#options;
    const polled = new Map<string, Polled>();
    try {
      if (this.#isProbing) await this.#probe();
      if (!this.#outage) await this.#pollAll(polled);
    } finally {
      await this.#end();
    }
    for (const processId of request.processes)
      if (!polled.has(processId) && this.#outage) polled.set(processId, { error: this.#outage });
    return { outcome: 'polled', processes: polled };
  }

  async #pollAll(polled: Map<string, Polled>): Promise<void> {
    const { rows, clock } = this.#dependencies;
    const { request, workspace } = this.#options;
    const completions = await rows.completions(workspace.name);
    await Promise.all(
      request.processes.map(async processId =>
        polled.set(processId, await this.#pass(processId, completions)),
      ),
    );
    const isLater = (one: Completion | undefined, other: Completion) =>
      one !== undefined && happenedAt(one.completedAt, clock()) > other.completedAt;
    const changes = new Map<string, CompletionChange>();
    for (const [id, one] of polled) {
      if (!('report' in one) || one.report.outcome !== 'completed') continue;
      const { idle, mode } = one.report;
      const before = completions.get(id);
      if (idle) changes.set(id, latest => (isLater(latest, idle) ? latest : idle));
      else if (before && mode === 'sweep') {
        // Its own rows lack the completion of an idle `changes` pass.
        const state = await this.#stateOf(id);
        changes.set(id, latest => latest && completionOf(state, latest));
      } else if (before) changes.set(id, latest => (isLater(latest, before) ? latest : undefined));
    }
    if (changes.size > 0) await complete(rows, workspace, changes, completions);
  }

  #stateOf(processId: string): Promise<ProcessState> {
    const { workspace } = this.#options;
    return this.#dependencies.snapshots.readState({ workspace: workspace.name, processId });
  }

  async #pass(processId: string, completions: Completions): Promise<Polled> {
    const { clock, log, filters, rows, snapshots, onProgress } = this.#dependencies;
    const { request, workspace, connection, owner, taken } = this.#options;
    const { mode } = request;
    const process = { workspace: workspace.name, processId };
    const settings = settingsOf(workspace, processId);
    const began = clock();
    const due = request.isAsked
      ? undefined
      : (state: ProcessState) => isDue(request, settings, state, clock());
    const logCommitted = (events: readonly string[]) =>
      log.info('Pass committed.', { code: 'pass.committed', ...process, events });
    const committed = new EventLines(logCommitted);
    const large = this.#largeTurn();
    const ports: PassPorts = {
      ...{ process, settings, filters, clock, log, holdLarge: large.take },
      snapshots: withCompletions(snapshots.until(this.#deadline), completions, () =>
        rows.completions(workspace.name),
      ),
      service: connection.open({ deadline: this.#deadline, share: taken.share }),
      concurrency: Math.ceil(workspace.concurrency / Math.min(request.processes.length, MAX_DIVISOR)),
      // Needs no report, because it is configured: the service sends no `Date`.
      // Stryker disable next-line ArrayDeclaration: other names have no effect
      known: workspace.dateHeader === false ? ['no-service-clock'] : [],
      stopAt: this.#stopAt,
      onProgress: onProgress && ((kind, done, total) => onProgress({ ...process, mode: kind, done, total })),
      onCommitted: ids => committed.add(ids),
    };
    try {
      const { idle, ...report } = await runPass(ports, mode, owner, due);
      if (report.outcome !== 'not-due')
        log.info('Pass ended.', {
          code: 'pass.ended',
          ...process,
          ...report,
          ms: clock() - began,
          events: committed.rest(),
        });
      return { report: idle ? { ...report, idle } : report };
    } catch (error) {
      const events = committed.rest();
      if (events.length > 0) logCommitted(events);
      large.giveBack();
      return { error: await this.#recordFailure(process, error) };
    } finally {
      large.giveBack();
    }
  }

  /** A turn for one pass to keep a listing of several pages in memory. */
  #largeTurn() {
    const done = Promise.withResolvers<void>();
    let before: Promise<void> | undefined;
    return {
      take: async () => {
        if (before === undefined) {
          before = this.#large;
          this.#large = before.then(() => done.promise);
        }
        await before;
      },
      giveBack: () => done.resolve(),
    };
  }

  async #recordFailure(process: ProcessKey, thrown: unknown): Promise<Error> {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    const { log } = this.#dependencies;
    const { mode } = this.#options.request;
    logIfAssertion(log, error, process);
    log.error('Pass failed; the next one retries.', {
      code: 'pass.failed',
      ...process,
      mode,
      error: error.message,
    });
    this.#failed.add(process.processId);
    if (isOfWorkspace(error)) await this.#confirm(error);
    return error;
  }

  /** Checks whether the service answers again. If so, the pause is over for all runs. */
  async #probe(): Promise<void> {
    const { connection, request, workspace, taken } = this.#options;
    try {
      // The answer to taking the share may have come after its end: then another run may probe by now.
      await taken.share.hold();
      await connection.probe(request.processes[0] as string);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (error instanceof ShareLostError) taken.share.close(error);
      else this.#outage = error;
      return;
    }
    this.#isProbing = false;
    await this.#dependencies.rows.change(workspace.name, row => ({ ...row, pause: undefined }));
  }

  /** Ends all passes of the run when an error concerns all of them. */
  #confirm(error: ServiceError): Promise<void> {
    const { clock } = this.#dependencies;
    const failedAt = clock();
    this.#confirming = this.#confirming.then(async () => {
      // One probe decides for all earlier failures.
      if (this.#outage || failedAt < this.#answeredAt) return;
      if (await this.#isConfirmed(error)) {
        this.#outage = error;
        this.#options.taken.share.close(error);
      } else this.#answeredAt = clock();
    });
    return this.#confirming;
  }

  /** Whether a failure concerns more than one process: the service asks for a pause or refuses the
   *  credentials, or a small request about another process fails, too. */
  async #isConfirmed(outage: ServiceError): Promise<boolean> {
    if (outage.retryAfter !== undefined || outage instanceof TokenError) return true;
    const { connection, request, workspace, taken } = this.#options;
    const hasShare = await taken.share.hold().then(
      () => true,
      () => false,
    );
    if (!hasShare) return false;
    const all = [...request.processes, ...workspace.processes.map(({ id }) => id)];
    const another = all.find(id => !this.#failed.has(id)) ?? (request.processes[0] as string);
    return connection.probe(another).then(
      () => false,
      error => error instanceof ServiceError,
    );
  }

  /** Gives the share back, and pauses the workspace, in one write. */
  async #end(): Promise<void> {
    const { clock, log } = this.#dependencies;
    const { workspace, taken } = this.#options;
    const [outage, isProbe] = [this.#outage, this.#isProbing];
    await taken.share.release(row => {
      if (!outage) return row;
      const { retryAfter } = outage;
      return withPause(row, { now: clock(), reason: failureReason(outage), retryAfter, isProbe });
    });
    const details = { code: 'workspace.paused', workspace: workspace.name, error: outage?.message };
    if (outage) log.warn('Workspace paused: its service asked for a pause, or does not respond.', details);
  }
}

/** Concurrent passes divide the workspace's concurrency by at most this number. */
const MAX_DIVISOR = 4;

function isOfWorkspace(error: Error): error is ServiceError {
  return error instanceof ServiceError && error.scope === 'everybody' && !(error instanceof DeadlineError);
}

/** Whether the pass of a tick's message is due. A `changes` pass is due only after the baseline, which a
 *  sweep makes. */
export function isDue(
  request: PassRequest,
  { changes }: ProcessSettings,
  state: ProcessState,
  now: number,
): boolean {
  const { mode, dueAt = 0 } = request;
  if (mode === 'sweep')
    return dueAt === 0 || state.isSweepUnfinished || happenedAt(state.sweepCompletedAt, now) < dueAt;
  return state.baselined && isPaceDue(state.pace, changes, now);
}
