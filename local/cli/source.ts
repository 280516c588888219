import type { Credentials } from '../../functions/credentials.ts';
import { type WorkspaceSettings, workspaceSettings } from '../../functions/settings.ts';
import { type SimulatedService, startChanging, startSimulatedService } from '../service/server.ts';
import type { ServiceSettings } from './environment.ts';

/** What is watched: a real service or the simulated one. */
export interface Source {
  readonly workspace: WorkspaceSettings;
  readonly credentials: Credentials;
  /** For people. */
  readonly description: string;
  readonly simulated: boolean;
  stop(): Promise<void>;
}

/** The real service. Its host names the workspace, so that what is known of one instance is never compared with another. */
export function realSource(settings: ServiceSettings, overlap: number): Source {
  const { clientId, clientSecret, processes, ...rest } = settings;
  const { host } = new URL(settings.baseUrl);
  return {
    workspace: workspace(
      { ...rest, name: host.replaceAll(/[^A-Za-z0-9]/g, '-').slice(0, 64) },
      processes,
      overlap,
    ),
    credentials: { clientId, clientSecret },
    description: `the service at ${host}`,
    simulated: false,
    stop: async () => undefined,
  };
}

/** The source, whose processes are polled every `interval` ms. */
export function polledEvery(source: Source, interval: number): Source {
  const processes = source.workspace.processes.map(process => ({ ...process, interval }));
  return { ...source, workspace: { ...source.workspace, processes } };
}

/** Each edit writes the state whole: a log of days would make that slow. Passes read it every few seconds. */
const AUDIT_RETENTION = 5_000;

/** Starts the simulated service, whose state is in `file`; `every` is the mean time between two of its changes, in ms, and
 *  undefined leaves it as it is. */
export async function simulatedSource(options: {
  file: string;
  overlap: number;
  every: number | undefined;
  onError: (error: unknown) => void;
}): Promise<Source> {
  const { file, every, overlap, onError } = options;
  const service = await startSimulatedService({ file, freedoms: { auditRetention: AUDIT_RETENTION } });
  const changing = every === undefined ? undefined : startChanging(service, { every, onError });
  const { clientId, clientSecret } = service;
  return {
    workspace: workspace(
      { ...addresses(service), name: 'simulated' },
      service.workspace.processes(),
      overlap,
    ),
    credentials: { clientId, clientSecret },
    description: 'a simulated service',
    simulated: true,
    stop: async () => {
      changing?.stop();
      await service.stop();
    },
  };
}

function addresses({ baseUrl, authUrl, audience }: SimulatedService) {
  return { baseUrl, authUrl, audience };
}

function workspace(
  service: { name: string; baseUrl: string; authUrl: string; audience: string },
  processes: readonly string[],
  overlap: number,
): WorkspaceSettings {
  return workspaceSettings.parse({
    ...service,
    credentials: 'environment',
    processes: processes.map(id => ({ id, overlap })),
  });
}
