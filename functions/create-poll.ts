import * as z from 'zod';
import { ignoredFields } from './changes/ignored-fields.ts';
import type { Clock, Random } from './clock.ts';
import type { PassParts } from './pass/pass.ts';
import { PassDefinitions } from './pass/pass-definitions.ts';
import { refreshDefinitions } from './pass/refresh-definitions.ts';
import { Reports } from './pass/reports.ts';
import { type PassReport, type RunPassOptions, runPass } from './pass/run-pass.ts';
import type { ServiceConnection } from './service/service.ts';
import type { ProcessSettings, WorkspaceSettings } from './settings.ts';
import type { Mode, ProcessKey, Snapshots } from './snapshots/snapshots.ts';
import type { ProcessState } from './snapshots/state.ts';
import type { Count, Log, Values } from './telemetry.ts';

/** What the schedule sends: which process to walk, and how. */
export const pollEvent = z.strictObject({
  workspace: z.string(),
  processId: z.string(),
  mode: z.enum(['changes', 'sweep']),
});

/** What a handler needs of Lambda's context. */
export interface PollContext {
  readonly awsRequestId: string;
  getRemainingTimeInMillis(): number;
}

export type Poll = (event: unknown, context: PollContext) => Promise<PassReport>;

export interface PollDependencies {
  readonly workspaces: readonly WorkspaceSettings[];
  readonly connect: (workspace: WorkspaceSettings) => ServiceConnection;
  readonly snapshots: Snapshots;
  readonly clock: Clock;
  readonly log: Log;
  readonly count: Count;
  readonly random: Random;
  /** Who holds the leases that a run takes; by default nobody but that run: Lambda may invoke a function twice, even at
   *  once, for one request. */
  readonly owner?: (context: PollContext) => string;
  readonly onProgress?: (progress: PollProgress) => void;
}

export interface PollProgress extends ProcessKey {
  readonly mode: PassReport['mode'];
  readonly done: number;
  readonly total: number;
}

/** Kept free at the end of a run, to save progress: no project is begun in the first, no request waits in the second. */
const WRAP_UP_MS = 60_000;
const LAST_WORDS_MS = 5_000;

/** The poller: one call is one pass over one process. A sweep or baseline that ran out of time is taken up again by the
 *  next `changes` run, after its own pass: sweeps are hours apart. */
export function createPoll(dependencies: PollDependencies): Poll {
  const connections = new Map<string, ServiceConnection>();
  const connectionOf = (workspace: WorkspaceSettings) => {
    const connection = connections.get(workspace.name) ?? dependencies.connect(workspace);
    connections.set(workspace.name, connection);
    return connection;
  };

  return async (event, context) => {
    const target = targetOf(dependencies.workspaces, event);
    const run = (mode: Mode, options?: RunPassOptions) =>
      pass({ ...target, mode }, connectionOf(target.workspace), dependencies, context, options);
    const report = await run(target.mode);
    const isIdle = report.mode === 'changes' && report.outcome === 'completed';
    if (isIdle && (await dependencies.snapshots.isUnfinished(keyOf(target), 'sweep')))
      await run('sweep', { onlyGoOn: true });
    return report;
  };
}

interface Target {
  readonly workspace: WorkspaceSettings;
  readonly settings: ProcessSettings;
  readonly mode: Mode;
}

function keyOf({ workspace, settings }: Target): ProcessKey {
  return { workspace: workspace.name, processId: settings.id };
}

function targetOf(workspaces: readonly WorkspaceSettings[], event: unknown): Target {
  const { workspace: name, processId, mode } = pollEvent.parse(event);
  const workspace = workspaces.find(candidate => candidate.name === name);
  const settings = workspace?.processes.find(candidate => candidate.id === processId);
  if (workspace && settings) return { workspace, settings, mode };
  throw new Error(
    `The schedule asks for process ${processId} of workspace ${name}, which the configuration does not have. ` +
      'Deploy again, so that schedules and configuration agree.',
  );
}

async function pass(
  target: Target,
  connection: ServiceConnection,
  dependencies: PollDependencies,
  context: PollContext,
  options?: RunPassOptions,
): Promise<PassReport> {
  const { clock, log, count } = dependencies;
  const process = keyOf(target);
  const began = clock();
  const deadline = deadlineOf(began, context);
  const snapshots = dependencies.snapshots.until(deadline);
  let state: ProcessState | undefined;
  let report: PassReport | undefined;
  try {
    state = await snapshots.readState(process);
    const service = connection.open({ deadline });
    const parts = partsOf(target, { ...dependencies, state, service, snapshots }, context);
    const owner = dependencies.owner?.(context) ?? ownerOf(context, dependencies.random);
    report = await runPass(parts, target.mode, owner, options);
    log.info('Pass ended.', { ...process, ...report, ms: clock() - began });
    return report;
  } catch (error) {
    const { message } = error instanceof Error ? error : new Error(String(error));
    log.error('Pass failed; the next schedule tries again.', {
      ...process,
      mode: target.mode,
      error: message,
    });
    throw error;
  } finally {
    count({
      PassCompleted: report?.outcome === 'completed' ? 1 : 0,
      PassFailed: report ? 0 : 1,
      Commits: report?.commits ?? 0,
      Events: report?.events ?? 0,
      // A state that could not be read says nothing of these: their alarms stay as they are.
      ...(state && stateValues(state)),
    });
  }
}

function stateValues(state: ProcessState): Values {
  return {
    ProcessHeld: state.held ? 1 : 0,
    ProcessStalled: state.stalled ? 1 : 0,
    ProjectsSkipped: state.skipped.filter(({ told }) => told).length,
  };
}

/** The request, to be found in the log, and 48 bits of chance. */
function ownerOf({ awsRequestId }: PollContext, random: Random): string {
  return `${awsRequestId}/${Math.floor(random() * 2 ** 48).toString(36)}`;
}

/** Our time at which requests end, in ms since 1970: what is left behind it is for saving where the pass stands. */
function deadlineOf(now: number, context: PollContext): number {
  const remaining = context.getRemainingTimeInMillis();
  return now + Math.max(remaining - LAST_WORDS_MS, remaining / 2);
}

function partsOf(
  { workspace, settings, mode }: Target,
  {
    state,
    service,
    snapshots,
    clock,
    log,
    onProgress,
  }: PollDependencies & Pick<PassParts, 'state' | 'service'>,
  context: PollContext,
): PassParts {
  const process = { workspace: workspace.name, processId: settings.id };
  const [now, remaining] = [clock(), context.getRemainingTimeInMillis()];
  // What the configuration says is known: it needs no telling.
  const known = workspace.dateHeader === false ? ['no-service-clock'] : [];
  const reports = new Reports(process, log, [...state.reported, ...known]);
  const refresh = () => refreshDefinitions({ process, snapshots, state, clock, service, reports }, mode);
  const progressMode = state.baselined ? mode : 'baseline';
  return {
    process,
    settings,
    concurrency: workspace.concurrency,
    service,
    snapshots,
    state,
    definitions: new PassDefinitions(state.definitions, ignoredFields(settings.ignoreFields), refresh),
    reports,
    clock,
    log,
    stopAt: now + Math.max(remaining - WRAP_UP_MS, remaining / 2),
    onProgress: onProgress && ((done, total) => onProgress({ ...process, mode: progressMode, done, total })),
  };
}
