import type { Clock, Random } from '../basics/clock.ts';
import type { Mode, ProcessKey } from '../basics/process.ts';
import { EventLines, type Log } from '../basics/telemetry.ts';
import type { ProcessSettings, WorkspaceSettings } from '../config/workspace.ts';
import type { PassPorts } from '../pass/context/context.ts';
import { type PassReport, runPass } from '../pass/run-pass.ts';
import type { Serve } from '../queue/queue.ts';
import type { SetAside } from '../queue/set-aside.ts';
import { isDue } from '../schedule/pace.ts';
import { type PassMessage, passMessage } from '../schedule/pass-message.ts';
import { isAdaptive } from '../schedule/scheduled.ts';
import type { ServiceConnection } from '../service/service.ts';
import type { Snapshots } from '../store/store.ts';

/** What a handler needs of Lambda's context. */
export interface PollContext {
  readonly awsRequestId: string;
  getRemainingTimeInMillis(): number;
}

/** A message of the queue; one that never expires may leave out when it does. */
export type PassRequest = Omit<PassMessage, 'expiresAt'> & Partial<Pick<PassMessage, 'expiresAt'>>;

/** What became of a message. `expired`: another makes up for it. `not-due`: the pass before found nothing,
 *  and the next is due later. In both cases nothing was asked of the service. */
export type PollReport = Omit<PassReport, 'outcome'> & {
  readonly outcome: PassReport['outcome'] | 'expired' | 'not-due';
};

/** @throws what the pass fails with, logged already */
export type Poll = (request: PassRequest, context: PollContext) => Promise<PollReport>;

export interface PollDependencies {
  readonly workspaces: readonly WorkspaceSettings[];
  readonly connect: (workspace: WorkspaceSettings) => ServiceConnection;
  readonly snapshots: Snapshots;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: Random;
  /** The owner's name in the leases that a run takes. By default each run has its own, because Lambda may
   *  invoke a function twice, even at once, for one request. */
  readonly owner?: (context: PollContext) => string;
  readonly onProgress?: (progress: PollProgress) => void;
}

export interface PollProgress extends ProcessKey {
  readonly mode: PassReport['mode'];
  readonly done: number;
  readonly total: number;
}

/** Serves the queue of passes. A message is not received again, even if its pass failed: the next message repeats the pass.
 *  A malformed message is set aside. */
export function createPollHandler(
  poll: Poll,
  setAside: SetAside,
  log: Pick<Log, 'error'>,
): Serve<PollContext> {
  return async ({ messages, queue }, context) => {
    for (const received of messages) {
      const { id: messageId, body } = received;
      const message = readMessage(body);
      if (!message) {
        await setAside(received, queue.name, 'the message is no pass');
        log.error('Malformed message in the passes queue; it was set aside. Deploy again.', {
          messageId,
          body,
        });
      }
      // `poll` has logged the failure already, with the process that it belongs to.
      else await poll(message, context).catch(() => undefined);
    }
    return [];
  };
}

function readMessage(body: string): PassMessage | undefined {
  try {
    return passMessage.parse(JSON.parse(body));
  } catch {
    // It is malformed.
  }
  return undefined;
}

/** Time at the end of a run that is kept free for saving progress: in the last WRAP_UP_MS no project is begun, in the last
 *  SAVE_RESERVE_MS no request is waited for; of a short run, in its second half. */
const WRAP_UP_MS = 60_000;
const SAVE_RESERVE_MS = 5_000;

/** The poller: one call is one pass over one process. A sweep or baseline that ran out of time is taken up again by the
 *  next `changes` run, after its own pass: sweeps are hours apart. */
export function createPoll(dependencies: PollDependencies): Poll {
  const connections = new Map<string, ServiceConnection>();

  return async (request, context) => {
    const { workspace, processId, expiresAt = Number.POSITIVE_INFINITY } = request;
    if (dependencies.clock() >= expiresAt) return dropped(request.mode, 'expired');
    let { mode } = request;
    try {
      const target = targetOf(dependencies.workspaces, request);
      const connection = connections.get(workspace) ?? dependencies.connect(target.workspace);
      connections.set(workspace, connection);
      const report = await pass(target, connection, dependencies, context);
      const isIdle = report.mode === 'changes' && report.outcome === 'completed';
      if (!isIdle || !report.isSweepUnfinished) return report;
      mode = 'sweep';
      await pass({ ...target, mode }, connection, dependencies, context, { onlyGoOn: true });
      return report;
    } catch (error) {
      const { message } = error instanceof Error ? error : new Error(String(error));
      const details = { workspace, processId, mode, error: message };
      dependencies.log.error('Pass failed; the next one tries again.', details);
      throw error;
    }
  };
}

function dropped(mode: Mode, outcome: 'expired' | 'not-due'): PollReport {
  return { mode, outcome, projects: 0, commits: 0, events: 0 };
}

/** What a message asks for. */
interface Target {
  readonly process: ProcessKey;
  readonly workspace: WorkspaceSettings;
  readonly settings: ProcessSettings;
  readonly mode: Mode;
  readonly isAsked: boolean;
}

function targetOf(workspaces: readonly WorkspaceSettings[], request: PassRequest): Target {
  const { workspace: name, processId, mode, isAsked = false } = request;
  const workspace = workspaces.find(candidate => candidate.name === name);
  const settings = workspace?.processes.find(candidate => candidate.id === processId);
  if (workspace && settings)
    return { process: { workspace: name, processId }, workspace, settings, mode, isAsked };
  throw new Error(
    `A message asks for process ${processId} of workspace ${name}, which the configuration does not have. ` +
      'Deploy again, so that all functions have one configuration.',
  );
}

async function pass(
  target: Target,
  connection: ServiceConnection,
  dependencies: PollDependencies,
  context: PollContext,
  options?: { readonly onlyGoOn: boolean },
): Promise<PollReport> {
  const { process, workspace, settings, mode } = target;
  const { clock, log, random, onProgress } = dependencies;
  const [began, remaining] = [clock(), context.getRemainingTimeInMillis()];
  const endLess = (reserve: number) => began + Math.max(remaining - reserve, remaining / 2);
  const deadline = endLess(SAVE_RESERVE_MS);
  const snapshots = dependencies.snapshots.until(deadline);
  if (!(await isDueNow(target, snapshots, began))) return dropped('changes', 'not-due');
  const logCommitted = (events: readonly string[]) => log.info('Pass committed.', { ...process, events });
  const committed = new EventLines(logCommitted);
  const ports: PassPorts = {
    ...{ process, settings, snapshots, clock, log },
    service: connection.open({ deadline }),
    concurrency: workspace.concurrency,
    // Needs no report, because the configuration says it: the service sends no `Date`.
    // Stryker disable next-line ArrayDeclaration: other names have no effect
    known: workspace.dateHeader === false ? ['no-service-clock'] : [],
    stopAt: endLess(WRAP_UP_MS),
    onProgress: onProgress && ((kind, done, total) => onProgress({ ...process, mode: kind, done, total })),
    onCommitted: ids => committed.add(ids),
  };
  const owner = dependencies.owner?.(context) ?? ownerOf(context, random);
  try {
    const report = await runPass(ports, mode, owner, options);
    log.info('Pass ended.', { ...process, ...report, ms: clock() - began, events: committed.rest() });
    return report;
  } catch (error) {
    const events = committed.rest();
    if (events.length > 0) logCommitted(events);
    throw error;
  }
}

/** Whether the pass is due. The state is read only where that depends on what the last pass found. */
async function isDueNow(target: Target, snapshots: Snapshots, now: number): Promise<boolean> {
  const { process, mode, isAsked, settings } = target;
  if (mode !== 'changes' || isAsked || !isAdaptive(settings.changes)) return true;
  const { baselined, pace } = await snapshots.readState(process);
  return !baselined || isDue(pace, settings.changes, now);
}

/** The id of the request, by which the log can be searched, and 48 random bits. */
function ownerOf({ awsRequestId }: PollContext, random: Random): string {
  return `${awsRequestId}/${Math.floor(random() * 2 ** 48).toString(36)}`;
}
