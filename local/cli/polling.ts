import type { Clock } from '../../functions/basics/clock.ts';
import type { Mode, ProcessKey } from '../../functions/basics/process.ts';
import { sleep } from '../../functions/basics/system.ts';
import {
  createPoll,
  type Poll,
  type PollProgress,
  type PollReport,
} from '../../functions/handlers/create-poll.ts';
import { connect } from '../../functions/service/client.ts';
import type { ServiceConnection } from '../../functions/service/service.ts';
import type { Snapshots } from '../../functions/store/store.ts';
import type { PassWatch } from '../operate/health.ts';
import type { Source } from '../settings/source.ts';
import type { Watched } from '../settings/watched.ts';
import type { Output } from '../terminal/output.ts';

/** Runs one pass over one process now, whether it is due or not. */
export type RunPass = (process: ProcessKey, mode: Mode) => Promise<PollReport>;

/** The time that a run of a pass has: as much as on Lambda. */
export const PASS_MS = 15 * 60_000;

export interface Polling {
  /** Serves one message of the queue of passes. */
  readonly poll: Poll;
  readonly runPass: RunPass;
  /** Cuts off the requests under way, so that their passes fail. */
  close(): Promise<void>;
}

/** Connects to the workspaces and makes the poll handler ready. */
export function startPolling(
  parts: { output: Output; snapshots: Snapshots; clock: Clock; passes: PassWatch },
  source: Source,
): Polling {
  const { output, snapshots, clock, passes } = parts;
  const tellProgress = baselineProgress(output, clock);
  const connections = new Map(
    source.watched.map(watched => [watched.workspace.name, connection(watched, source, { output, clock })]),
  );
  const run = createPoll({
    workspaces: source.watched.map(({ workspace }) => workspace),
    connect: ({ name }) => connections.get(name) as ServiceConnection,
    snapshots,
    clock,
    random: Math.random,
    // The id names the mode and is the same after every restart: so a pass takes back at once the lease
    // that it held before a kill, but not the lease of a pass of the other mode.
    owner: ({ awsRequestId }) => awsRequestId,
    // Errors are left out: a pass that fails also throws, and its caller reports that.
    log: { ...output.log, error: () => undefined },
    onProgress: progress => {
      passes.moved(progress, clock());
      tellProgress(progress);
    },
  });
  const poll: Poll = async (request, context) => {
    const { mode } = request;
    try {
      const report = await run(request, { ...context, awsRequestId: `local:${mode}` });
      if (report.outcome === 'completed') passes.passed(request, mode, clock());
      return report;
    } catch (error) {
      passes.failed(request, mode, error instanceof Error ? error.message : String(error));
      throw error;
    }
  };
  const runPass: RunPass = ({ workspace, processId }, mode) => {
    const until = clock() + PASS_MS;
    const context = { awsRequestId: '', getRemainingTimeInMillis: () => until - clock() };
    return poll({ workspace, processId, mode, isAsked: true }, context);
  };
  return {
    ...{ poll, runPass },
    close: async () => void (await Promise.all([...connections.values()].map(each => each.close()))),
  };
}

function connection(
  { workspace, credentials }: Watched,
  { simulated, watched }: Source,
  { output, clock }: { output: Output; clock: Clock },
): ServiceConnection {
  const who = watched.length > 1 ? `The service of ${workspace.name}` : 'The service';
  return connect({
    ...workspace,
    credentials: async () => credentials,
    clock,
    random: Math.random,
    sleep,
    onNotice: ({ message, ...details }) => {
      const about = { workspace: workspace.name, ...details };
      // Under which name a service sends its lists is worth a line for a real service, but no warning;
      // for the simulated one it is not even worth a line.
      if (!details.code.startsWith('list-property-')) output.warn(`${who}: ${message}.`, about);
      else if (!simulated) output.say(`${who}: ${message}.`, about);
    },
  });
}

/** Says how far a baseline is: once a second, and at its end. */
function baselineProgress(output: Output, clock: Clock): (progress: PollProgress) => void {
  const saidAt = new Map<string, number>();
  return ({ mode, workspace, processId, done, total }) => {
    if (mode !== 'baseline') return;
    const key = `${workspace}/${processId}`;
    const last = saidAt.get(key) ?? 0;
    if (done < total && clock() - last < 1000) return;
    saidAt.set(key, clock());
    const details = { workspace, process: processId, mode, done, total };
    output.say(`baseline ${processId} ${done}/${total} projects`, details);
  };
}
