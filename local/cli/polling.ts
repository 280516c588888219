import type { Clock } from '../../functions/clock.ts';
import { createPoll, type PollProgress } from '../../functions/create-poll.ts';
import type { PassReport } from '../../functions/pass/run-pass.ts';
import { connect } from '../../functions/service/client.ts';
import type { Mode, Snapshots } from '../../functions/snapshots/snapshots.ts';
import type { Output } from './output.ts';
import { sleep } from './sleep.ts';
import type { Source } from './source.ts';

/** Runs one pass over one process. */
export type RunPass = (processId: string, mode: Mode) => Promise<PassReport>;

/** As much time as Lambda gives. */
const PASS_MS = 15 * 60_000;

export interface Polling {
  readonly runPass: RunPass;
  /** Cuts off the requests under way, so that their passes fail. */
  close(): Promise<void>;
}

/** Connects to the source and makes the poll handler ready. */
export function startPolling(
  { output, snapshots, clock }: { output: Output; snapshots: Snapshots; clock: Clock },
  { workspace, credentials, simulated }: Source,
): Polling {
  const connection = connect({
    ...workspace,
    credentials: async () => credentials,
    clock,
    random: Math.random,
    sleep,
    onNotice: ({ code, message }) => {
      // How a real service names its lists is news; how the simulated one does is not.
      if (!simulated || !code.startsWith('list-property-')) output.warn(`The service: ${message}.`);
    },
  });
  const poll = createPoll({
    workspaces: [workspace],
    connect: () => connection,
    snapshots,
    clock,
    random: Math.random,
    // One name per mode, the same after every restart: it takes back its own lease at once, and no other's.
    owner: ({ awsRequestId }) => awsRequestId,
    // A pass that fails also throws, and who runs it tells.
    log: { ...output.log, error: () => undefined },
    count: () => undefined,
    onProgress: baselineProgress(output, clock),
  });
  const runPass: RunPass = (processId, mode) => {
    const until = clock() + PASS_MS;
    const context = { awsRequestId: `local:${mode}`, getRemainingTimeInMillis: () => until - clock() };
    return poll({ workspace: workspace.name, processId, mode }, context);
  };
  return { runPass, close: connection.close };
}

/** Says how far a baseline is: once a second, and at its end. */
function baselineProgress(output: Output, clock: Clock): (progress: PollProgress) => void {
  const saidAt = new Map<string, number>();
  return ({ mode, processId, done, total }) => {
    if (mode !== 'baseline') return;
    const last = saidAt.get(processId) ?? 0;
    if (done < total && clock() - last < 1000) return;
    saidAt.set(processId, clock());
    output.say(`baseline ${processId} ${done}/${total} projects`);
  };
}
