import { logIfAssertion } from '../basics/assert.ts';
import type { Random } from '../basics/clock.ts';
import type { Log } from '../basics/telemetry.ts';
import type { WorkspaceSettings } from '../config/workspace.ts';
import { announceStall } from '../pass/run-pass.ts';
import type { MoveToFailed } from '../queue/failed-messages.ts';
import type { LambdaContext } from '../queue/queue.ts';
import { type Serve, showAgain } from '../queue/queue.ts';
import { type PassMessage, passMessage } from '../schedule/pass-message.ts';
import { isAdaptive } from '../schedule/scheduled.ts';
import type { ServiceConnection } from '../service/service.ts';
import { takeShare } from './run-share.ts';
import {
  type CompletionChange,
  complete,
  isDue,
  type PassRequest,
  type PollDependencies,
  type Polled,
  type PollReport,
  settingsOf,
  WorkspaceRun,
  withCompletions,
} from './workspace-run.ts';

/** @throws when the message can't be served at all, logged already */
export type Poll = (request: PassRequest, context: LambdaContext) => Promise<PollReport>;

/** Seconds until a message is received again when its run found no share of its workspace. */
const FULL_RETRY_S = 5;

/** Serves the queue of passes. A message is not received again, even if its passes failed: the next
 *  message repeats them. A malformed message moves to the failed messages. */
export function createPollHandler(
  poll: Poll,
  moveToFailed: MoveToFailed,
  log: Pick<Log, 'error' | 'warn'>,
): Serve {
  return async ({ messages, queue }, context) => {
    const again: string[] = [];
    for (const received of messages) {
      const { id: messageId, body } = received;
      const message = readMessage(body);
      if (!message) {
        await moveToFailed(received, queue.name, 'not a valid pass message');
        log.error('Malformed message in the passes queue; moved to the failed messages. Redeploy.', {
          code: 'passes.malformed',
          messageId,
          body,
        });
        continue;
      }
      // `poll` has logged the failure, with its processes.
      const report = await poll(message, context).catch(() => undefined);
      if (report?.outcome !== 'full') continue;
      again.push(messageId);
      await showAgain({ messages: [received], queue }, log, () => FULL_RETRY_S);
    }
    return again;
  };
}

function readMessage(body: string): PassMessage | undefined {
  try {
    return passMessage.parse(JSON.parse(body));
  } catch {
    return undefined;
  }
}

/** The poller: one call makes one pass over each process of a message, in parallel, over one connection.
 *  It leaves out passes that are not due. Then it takes its share of the workspace's concurrent requests,
 *  or ends without one. The first run after a pause first checks whether the service answers. A failure of
 *  one process does not affect the others; one that concerns the workspace ends all passes, and pauses it.
 *  At the end it gives the share back, and saves all passes that found nothing in one row. */
export function createPoll(dependencies: PollDependencies): Poll {
  const { workspaces, connect, rows, clock, log, random, owner } = dependencies;
  const connections = new Map<string, ServiceConnection>();

  return async (request, context) => {
    const {
      workspace: name,
      mode,
      processes,
      expiresAt = Number.POSITIVE_INFINITY,
      isAsked = false,
    } = request;
    if (clock() >= expiresAt) return { outcome: 'expired', processes: new Map() };
    const run = runNameOf(context, random);
    try {
      const workspace = workspaceIn(workspaces, request);
      const early = await notDueYet(dependencies, workspace, request);
      const processes = request.processes.filter(id => !early.has(id));
      if (processes.length === 0) return { outcome: 'polled', processes: early };
      const sharing = { workspace: name, run, ceiling: workspace.concurrency };
      const taken = await takeShare(rows, { ...sharing, isBulk: mode === 'sweep', isAsked }, clock);
      if (taken.as === 'full') return { outcome: 'full', processes: new Map() };
      if (taken.as === 'paused') {
        await announceSilences(dependencies, workspace, request, taken.pause.reason);
        return { outcome: 'paused', processes: new Map() };
      }
      const connection = connections.get(name) ?? connect(workspace);
      connections.set(name, connection);
      const report = await new WorkspaceRun(dependencies, {
        request: { ...request, processes },
        workspace,
        connection,
        context,
        owner: owner?.(context) ?? run,
        taken,
      }).poll();
      return { ...report, processes: new Map([...early, ...report.processes]) };
    } catch (error) {
      logIfAssertion(log, error, { workspace: name, processes, mode });
      const { message } = error instanceof Error ? error : new Error(String(error));
      log.error('Passes failed; the next ones retry.', {
        code: 'passes.failed',
        workspace: name,
        processes,
        mode,
        error: message,
      });
      throw error;
    }
  };
}

function workspaceIn(workspaces: readonly WorkspaceSettings[], request: PassRequest): WorkspaceSettings {
  const workspace = workspaces.find(({ name }) => name === request.workspace);
  const unknown = request.processes.find(id => !workspace?.processes.some(process => process.id === id));
  if (workspace && unknown === undefined) return workspace;
  throw new Error(
    `Process ${unknown} of workspace ${request.workspace} is not configured. ` +
      'Redeploy, so that all functions have the same configuration.',
  );
}

/** The processes with adaptive intervals whose passes are not due: their messages may come too soon, and
 *  take no share. In a paused workspace, any of them may have to check whether the service answers again. */
async function notDueYet(
  { snapshots, rows, clock }: PollDependencies,
  workspace: WorkspaceSettings,
  request: PassRequest,
): Promise<Map<string, Polled>> {
  const { mode, processes, isAsked = false } = request;
  const early = new Map<string, Polled>();
  const adaptive = processes.filter(id => isAdaptive(settingsOf(workspace, id).changes));
  // Stryker disable next-line ConditionalExpression: of a sweep its run learns the same, only later
  if (isAsked || mode !== 'changes' || adaptive.length === 0) return early;
  const { pause } = await rows.change(workspace.name, () => undefined);
  if (pause) return early;
  const overlaid = withCompletions(snapshots, await rows.completions(workspace.name));
  const report = { mode, outcome: 'not-due', projects: 0, commits: 0, events: 0 } as const;
  await Promise.all(
    adaptive.map(async processId => {
      const state = await overlaid.readState({ workspace: workspace.name, processId });
      if (!isDue(request, settingsOf(workspace, processId), state, clock())) early.set(processId, { report });
    }),
  );
  return early;
}

/** Announces the processes of a paused workspace that were silent for too long, and saves that in the rows
 *  of their groups, so that ticks don't request it again. */
async function announceSilences(
  { snapshots, rows, clock, log }: PollDependencies,
  workspace: WorkspaceSettings,
  { processes }: PassRequest,
  reason: string,
): Promise<void> {
  const completions = await rows.completions(workspace.name);
  const overlaid = withCompletions(snapshots, completions);
  const announced = new Map<string, CompletionChange>();
  for (const processId of processes) {
    const process = { workspace: workspace.name, processId };
    const settings = settingsOf(workspace, processId);
    await announceStall({ process, settings, snapshots: overlaid, clock, log }, reason);
    const { stalled } = await snapshots.readState(process);
    // Stryker disable next-line ConditionalExpression: else what is there is saved again, which writes nothing
    if (stalled) announced.set(processId, latest => latest && { ...latest, stalled });
  }
  await complete(rows, workspace, announced, completions);
}

/** The id of the request, for searches in the log, and 48 random bits. */
function runNameOf({ awsRequestId }: LambdaContext, random: Random): string {
  return `${awsRequestId}/${Math.floor(random() * 2 ** 48).toString(36)}`;
}
