import type { Random } from '../basics/clock.ts';
import type { Log } from '../basics/telemetry.ts';
import type { WorkspaceSettings } from '../config/workspace.ts';
import { announceStall } from '../pass/run-pass.ts';
import type { MoveToFailed } from '../queue/failed-messages.ts';
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
  type PollContext,
  type PollDependencies,
  type Polled,
  type PollReport,
  settingsOf,
  WorkspaceRun,
  withCompletions,
} from './workspace-run.ts';

export type {
  PassRequest,
  PollContext,
  PollDependencies,
  Polled,
  PollProgress,
  PollReport,
} from './workspace-run.ts';

/** @throws when the message can't be served at all, logged already */
export type Poll = (request: PassRequest, context: PollContext) => Promise<PollReport>;

/** When a message is received again whose run found no share of its workspace, in seconds. */
const FULL_S = 5;

/** Serves the queue of passes. A message is not received again, even if its passes failed: the next message repeats them.
 *  A malformed message is set aside. */
export function createPollHandler(
  poll: Poll,
  moveToFailed: MoveToFailed,
  log: Pick<Log, 'error' | 'warn'>,
): Serve<PollContext> {
  return async ({ messages, queue }, context) => {
    const again: string[] = [];
    for (const received of messages) {
      const { id: messageId, body } = received;
      const message = readMessage(body);
      if (!message) {
        await moveToFailed(received, queue.name, 'the message is no pass');
        log.error('Malformed message in the passes queue; it was set aside. Deploy again.', {
          messageId,
          body,
        });
        continue;
      }
      // `poll` has logged a failure already, with the processes that it belongs to.
      const report = await poll(message, context).catch(() => undefined);
      if (report?.outcome !== 'full') continue;
      again.push(messageId);
      await showAgain({ messages: [received], queue }, log, () => FULL_S);
    }
    return again;
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

/**
 * The poller: one call makes one pass over each of the processes that a message names, side by side, over one connection.
 *
 * Passes that are not due are left out. Then it takes its share of the workspace's requests at once; without one, it ends. The first run after a pause asks whether the service answers,
 * before its passes. A failure of one process does not touch the others; one that concerns the workspace ends all, and pauses it. At the end
 * the share is given back, and one row keeps all passes that found nothing.
 */
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
    const run = named(context, random);
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
      const { message } = error instanceof Error ? error : new Error(String(error));
      log.error('Passes failed; the next ones try again.', {
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
    `A message asks for process ${unknown} of workspace ${request.workspace}, which the configuration does not have. ` +
      'Deploy again, so that all functions have one configuration.',
  );
}

/** The processes whose passes are not due, of those with adaptive intervals: messages for them may come too soon, and cost no share. In a workspace that is
 *  paused, any of them may have to ask whether the service answers again. */
async function notDueYet(
  { snapshots, rows, clock }: PollDependencies,
  workspace: WorkspaceSettings,
  request: PassRequest,
): Promise<Map<string, Polled>> {
  const { mode, processes, isAsked = false } = request;
  const early = new Map<string, Polled>();
  const adaptive = processes.filter(id => isAdaptive(settingsOf(workspace, id).changes));
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

/** Of processes of a paused workspace, announces those that were silent for too long, and keeps that in the rows of their groups, by which ticks know that it
 *  is done. */
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
    if (stalled) announced.set(processId, latest => latest && { ...latest, stalled });
  }
  if (announced.size > 0) await complete(rows, workspace, announced);
}

/** The id of the request, by which the log can be searched, and 48 random bits. */
function named({ awsRequestId }: PollContext, random: Random): string {
  return `${awsRequestId}/${Math.floor(random() * 2 ** 48).toString(36)}`;
}
