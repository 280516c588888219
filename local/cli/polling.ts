import type { Clock } from '../../functions/basics/clock.ts';
import type { Mode, ProcessKey } from '../../functions/basics/process.ts';
import { sleep } from '../../functions/basics/system.ts';
import { createPoll, type Poll } from '../../functions/handlers/create-poll.ts';
import type { PollProgress } from '../../functions/handlers/workspace-run.ts';
import type { EndpointSettings } from '../../functions/model/endpoint.ts';
import type { PassReport } from '../../functions/pass/run-pass.ts';
import { askedPass } from '../../functions/schedule/pass-message.ts';
import { connect } from '../../functions/service/client.ts';
import type { ServiceConnection } from '../../functions/service/service.ts';
import type { Snapshots, WorkspaceRows } from '../../functions/store/store.ts';
import type { PassWatch } from '../operate/health.ts';
import type { Metrics } from '../operate/metrics.ts';
import type { Source } from '../settings/source.ts';
import type { Watched } from '../settings/watched.ts';
import type { Output } from '../terminal/output.ts';

/** Runs one pass over one process now, whether it is due or not. @throws Stopped when the run ends */
export type RunPass = (process: ProcessKey, mode: Mode) => Promise<PassReport>;

/** The run ends: a pass that was cut off is resumed by the next run. */
export class Stopped extends Error {}

/** The time that a run of a pass has: as much as on Lambda. */
export const PASS_MS = 15 * 60_000;

export interface Polling {
  /** Serves one message of the queue of passes. */
  readonly poll: Poll;
  readonly runPass: RunPass;
  /** Cuts off the requests under way, so that their passes fail. */
  close(): Promise<void>;
}

interface Parts {
  readonly output: Output;
  readonly snapshots: Snapshots;
  readonly rows: WorkspaceRows;
  readonly filters?: readonly Pick<EndpointSettings, 'name' | 'filter'>[];
  readonly clock: Clock;
  readonly passes: PassWatch;
  readonly metrics: Metrics;
}

/** Connects to the workspaces and makes the poll handler ready. */
export function startPolling(parts: Parts, source: Source): Polling {
  const { filters, snapshots, rows, clock, passes, output, metrics } = parts;
  const reportProgress = baselineProgress(output, clock);
  const connections = new Map(
    source.watched.map(watched => [watched.workspace.name, connection(watched, source, parts)]),
  );
  const run = createPoll({
    workspaces: source.watched.map(({ workspace }) => workspace),
    connect: ({ name }) => connections.get(name) as ServiceConnection,
    ...{ filters, snapshots, rows, clock, random: Math.random },
    // Errors are left out: a failed pass also throws, and its caller reports that.
    log: { ...output.log, error: () => undefined },
    onProgress: progress => {
      passes.moved(progress, clock());
      reportProgress(progress);
    },
  });
  const poll: Poll = async (request, context) => {
    const { workspace, mode } = request;
    const polled = await run(request, context);
    for (const [processId, one] of polled.processes) {
      const process = { workspace, processId };
      metrics.passed(process, mode, one);
      if ('error' in one) passes.failed(process, mode, one.error.message);
      else if (one.report.outcome === 'completed') passes.passed(process, mode, clock());
    }
    return polled;
  };
  let isClosed = false;
  const runPass: RunPass = async (process, mode) => {
    if (isClosed) throw new Stopped('the run was stopped');
    const until = clock() + PASS_MS;
    const context = { awsRequestId: 'once', getRemainingTimeInMillis: () => until - clock() };
    const { processes } = await poll(askedPass(process, mode, clock()), context);
    const one = processes.get(process.processId);
    if (!one) return { mode, outcome: 'busy', projects: 0, commits: 0, events: 0 };
    if ('error' in one) throw one.error;
    return one.report;
  };
  return {
    ...{ poll, runPass },
    close: async () => {
      isClosed = true;
      await Promise.all([...connections.values()].map(each => each.close()));
    },
  };
}

function connection(
  { workspace, credentials }: Watched,
  { simulated, watched }: Source,
  { output, clock, metrics }: Parts,
): ServiceConnection {
  const who = watched.length > 1 ? `The service of ${workspace.name}` : 'The service';
  return connect({
    ...workspace,
    credentials: async () => credentials,
    clock,
    random: Math.random,
    sleep,
    onRequest: ({ status }) => metrics.requested(workspace.name, status),
    onNotice: ({ message, ...details }) => {
      const about = { workspace: workspace.name, ...details };
      // The name of a list in the service's answers is information, not a warning; for the simulated service it is
      // left out.
      if (!details.code.startsWith('list-property-')) output.warn(`${who}: ${message}.`, about);
      else if (!simulated) output.info(`${who}: ${message}.`, about);
    },
  });
}

/** Reports the progress of a baseline: once a second, and at its end. */
function baselineProgress(output: Output, clock: Clock): (progress: PollProgress) => void {
  const reportedAt = new Map<string, number>();
  return ({ mode, workspace, processId, done, total }) => {
    if (mode !== 'baseline') return;
    const key = `${workspace}/${processId}`;
    const last = reportedAt.get(key) ?? 0;
    if (done < total && clock() - last < 1000) return;
    reportedAt.set(key, clock());
    const details = { code: 'baseline.progress', workspace, process: processId, mode, done, total };
    output.info(`Reading ${processId} for the first time: ${done} of ${total} projects`, details);
  };
}
