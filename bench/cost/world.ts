import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Workspace } from '../../simulator/data/workspace.ts';
import { buildWorkspace, SIMULATED_CREDENTIALS, startSimulatedService } from '../../simulator/server.ts';
import { certificateFor } from '../../test/deployed/emulator/certificate.ts';
import { startTable } from '../../test/kit/table.ts';
import { startCountingAws } from './aws.ts';
import { startReceiver, startServiceProxy } from './proxy.ts';
import { Recorder } from './recorder.ts';
import { RECEIVER } from './runner.ts';

export const PROCESS = 'p1';
/** The other processes that the service has: those with whom `p1` is polled in the largest size. They are
 *  small, because an idle pass costs the same whatever a process has. */
const OTHERS = Array.from({ length: 100 }, (_, index) => `p${index + 1}`).filter(id => id !== PROCESS);
/** Addresses of the service in configurations, which accept HTTPS only. */
export const SERVICE = {
  api: 'https://api.cost.example.com',
  auth: 'https://auth.cost.example.com',
  audience: 'https://audience.cost.example.com',
};

/** What functions talk to, on this machine: an empty table, a service with one process, a receiver, and
 *  counters in place of AWS's other services. */
export async function openWorld(projects: number, tasksPerProject: number) {
  const time = { ahead: 0 };
  let isHanging = false;
  const clock = () => Date.now() + time.ahead;
  const recorder = new Recorder();
  const table = await startTable();
  const service = await startSimulatedService({
    clock,
    // Tokens are counted elsewhere: how many are fetched depends on the number of environments, not of
    // passes.
    freedoms: { tokenLifetime: 86_400 },
    workspace: filled(
      buildWorkspace({
        now: clock() - 86_400_000,
        processes: [
          { id: PROCESS, projects, tasksPerProject },
          ...OTHERS.map(id => ({ id, projects: 1, tasksPerProject: 1 })),
        ],
      }),
    ),
  });
  const proxy = await startServiceProxy(service.baseUrl, recorder, () => isHanging);
  const certificate = await certificateFor([RECEIVER]);
  const receiver = await startReceiver(certificate, recorder);
  const aws = await startCountingAws(table.clientOptions.endpoint, recorder, {
    credentials: JSON.stringify(SIMULATED_CREDENTIALS),
    parameter: name =>
      JSON.stringify({ url: `https://${RECEIVER}/${name.split('/').at(-1)}`, secrets: [SIGNING] }),
  });
  const directory = mkdtempSync(join(tmpdir(), 'changewire-cost-'));
  const authority = join(directory, 'receiver.pem');
  writeFileSync(authority, certificate.cert);
  const origin = `http://127.0.0.1:${proxy.port}`;
  const path = (url: string) => new URL(url).pathname.replace(/\/$/, '');
  return {
    table,
    service,
    aws,
    /** Moves the clock of the functions and of the service ahead. */
    later: (ms: number) => {
      time.ahead += ms;
    },
    ahead: () => time.ahead,
    /** ms until the service answers. */
    serviceLatency: (ms: number) => {
      recorder.latency.service = ms;
    },
    /** Has the service answer nothing, or answer again. */
    hang: (hangs: boolean) => {
      isHanging = hangs;
    },
    queueUrl: (name: string) => `http://127.0.0.1:${aws.port}/123456789012/${name}`,
    forRunning: {
      recorder,
      awsPort: aws.port,
      receiverPort: receiver.port,
      authority,
      replaced: {
        [SERVICE.api]: `${origin}${path(service.baseUrl)}`,
        [SERVICE.auth]: `${origin}${path(service.authUrl)}`,
        [SERVICE.audience]: service.audience,
      },
    },
    async stop() {
      for (const each of [proxy, receiver, aws, service, table]) await each.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

export type World = Awaited<ReturnType<typeof openWorld>>;

const SIGNING = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** Gives every custom field a value, as in a process that people work with: records of some 400 bytes. */
function filled(workspace: Workspace): Workspace {
  const values = {
    summary: 'What it is about, in a sentence on one line',
    budget: '12500.50',
    startDate: '2026-11-02',
    phase: 'Build',
    regions: ['North', 'West'],
    Note: 'To be agreed with the supplier before the end of the month',
    'Effort hours': '16',
    'Due date': '2026-12-11',
    'risk-level': 'Medium',
    'Involved teams': ['Design', 'Legal'],
  };
  const processes = [...workspace.processes].map(([id, process]) => {
    const projects = [...process.projects].map(([projectId, project]) => {
      const tasks = [...project.tasks].map(([taskId, task]) => [taskId, { ...task, values }] as const);
      return [projectId, { ...project, values, tasks: new Map(tasks) }] as const;
    });
    return [id, { ...process, projects: new Map(projects) }] as const;
  });
  return { ...workspace, processes: new Map(processes) };
}
