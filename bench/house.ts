import { createPoll, type PollContext } from '../functions/handlers/create-poll.ts';
import { connect } from '../functions/service/client.ts';
import { workspaceSettings } from '../functions/settings/workspaces.ts';
import { createSnapshots } from '../functions/snapshots/dynamo-snapshots.ts';
import { buildWorkspace, startSimulatedService } from '../local/simulated-service/server.ts';
import { startTable } from '../test/support/table.ts';

export const PROCESS = 'measured';

/** A process of this size in the simulated service, the real poller, and an embedded table of its own. */
export async function openHouse(projects: number, tasksPerProject: number) {
  const clock = { now: Date.UTC(2026, 10, 21) };
  const table = await startTable();
  const service = await startSimulatedService({
    clock: () => clock.now,
    workspace: buildWorkspace({
      now: clock.now - 86_400_000,
      processes: [{ id: PROCESS, projects, tasksPerProject }],
    }),
  });
  const workspace = workspaceSettings.parse({
    name: 'bench',
    baseUrl: service.baseUrl,
    authUrl: service.authUrl,
    audience: service.audience,
    credentials: 'unused',
    processes: [{ id: PROCESS }],
  });
  const connection = connect({
    ...workspace,
    credentials: async () => service,
    clock: () => clock.now,
    random: Math.random,
    sleep: async () => undefined,
  });
  let highest = 0;
  const poll = createPoll({
    workspaces: [workspace],
    snapshots: createSnapshots(table),
    connect: () => connection,
    clock: () => clock.now,
    random: Math.random,
    log: { info: () => {}, warn: () => {}, error: () => {} },
    // Collecting garbage takes longer than a project does: now and then is enough.
    onProgress: ({ done }) => {
      if (done % 50 === 0) highest = Math.max(highest, heapUsed());
    },
  });
  const context: PollContext = { awsRequestId: 'bench', getRemainingTimeInMillis: () => 900_000 };
  return {
    service,
    /** One pass, a minute later: how long it took, in ms, what it asked, and how far the heap grew, in bytes. */
    async pass(mode: 'changes' | 'sweep') {
      clock.now += 60_000;
      service.clearRequests();
      const before = heapUsed();
      highest = before;
      const began = performance.now();
      const report = await poll({ workspace: 'bench', processId: PROCESS, mode }, context);
      const ms = performance.now() - began;
      return { ms, requests: service.requests.length, heap: highest - before, report };
    },
    async close() {
      await connection.close();
      await service.stop();
      await table.stop();
    },
  };
}

/** With `--expose-gc`: what is really held. */
function heapUsed(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
