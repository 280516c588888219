import { buildWorkspace, startSimulatedService } from '../../simulator/server.ts';

/** The service of `bench/machine.ts`, in a process of its own, so that its work is not measured. */
const [projects = 0, tasksPerProject = 0] = process.argv.slice(2).map(Number);
const PROCESS = 'measured';
const service = await startSimulatedService({
  workspace: buildWorkspace({
    now: Date.now() - 86_400_000,
    processes: [{ id: PROCESS, projects, tasksPerProject }],
  }),
  freedoms: { auditRetention: 20_000 },
});
const { baseUrl, authUrl, audience, clientId, clientSecret } = service;
process.send?.({ baseUrl, authUrl, audience, clientId, clientSecret, process: PROCESS });
const looking = setInterval(() => {
  if (service.requests.length === 0) return;
  clearInterval(looking);
  process.send?.('asked');
}, 2);

/** `{projects, tasks}`: this number of tasks and projects change, one after the other. */
process.on('message', ({ projects: many, tasks }: { projects: number; tasks: number }) => {
  for (let project = 0; project < many; project++) {
    for (let task = 0; task < tasks; task++) {
      const taskId = String(500_001 + project * tasksPerProject + task);
      service.workspace.updateTask(PROCESS, String(1001 + project), taskId, { status: 'Done' });
    }
  }
  process.send?.('edited');
});
process.once('disconnect', () => process.exit(0));
