import { workspaceSettings } from '../../functions/config/read.ts';
import type { Config } from '../../functions/config/schema.ts';
import type { ProcessSettings, WorkspaceSettings } from '../../functions/config/workspace.ts';
import { type SimulatedService, startChanging, startSimulatedService } from '../../simulator/server.ts';
import type { Environment } from '../basics/environment.ts';
import { failure } from '../basics/failure.ts';
import type { RunContext } from '../data/data-directory.ts';
import { readConfigFile } from './config-file.ts';
import type { Options } from './options.ts';
import { type ServiceSettings, serviceSettings, type Watched, watchedOf } from './watched.ts';

/** What is watched: real services or the simulated one. */
export interface Source {
  readonly watched: readonly Watched[];
  /** What the banner calls it. */
  readonly description: string;
  readonly simulated: boolean;
  stop(): Promise<void>;
}

/** How often changes are looked for, and how often everything is compared; and the overlap. All in ms; what is left
 *  out is as by default in a configuration file. */
export type Timing = Partial<Pick<ProcessSettings, 'changes' | 'sweep' | 'overlap'>>;

/** The workspaces of a configuration file. */
export function configuredSource(config: Config, environment: Environment): Source {
  const watched = watchedOf(config, environment);
  const names = watched.map(({ workspace }) => workspace.name);
  return { watched, description: names.join(', '), simulated: false, stop: async () => undefined };
}

/** The real service of the environment. Its host is the name of the workspace, so that the snapshots of
 *  one instance are never compared with records of another. */
export function realSource(settings: ServiceSettings, timing: Timing): Source {
  const { clientId, clientSecret, processes, ...rest } = settings;
  const { host } = new URL(settings.baseUrl);
  const name = host.replaceAll(/[^A-Za-z0-9]/g, '-').slice(0, 64);
  return {
    watched: [watchedAs({ ...rest, name }, processes, { clientId, clientSecret }, timing)],
    description: `the service at ${host}`,
    simulated: false,
    stop: async () => undefined,
  };
}

/** Audit entries that the simulated service keeps. Each edit writes the whole state, which a longer log
 *  would slow down; passes read the log every few seconds, so they miss none. */
const AUDIT_RETENTION = 5_000;

/** Starts the simulated service, whose state is in `file`. `every` is the mean time between two of its
 *  changes, in ms; undefined: nothing changes. */
export async function simulatedSource(options: {
  file: string;
  timing: Timing;
  every: number | undefined;
  onError: (error: unknown) => void;
}): Promise<Source> {
  const { file, every, timing, onError } = options;
  const service = await startSimulatedService({ file, freedoms: { auditRetention: AUDIT_RETENTION } });
  const changing = every === undefined ? undefined : startChanging(service, { every, onError });
  const { clientId, clientSecret } = service;
  const addresses = { ...addressesOf(service), name: 'simulated' };
  return {
    watched: [watchedAs(addresses, service.workspace.processes(), { clientId, clientSecret }, timing)],
    description: 'a simulated service',
    simulated: true,
    stop: async () => {
      changing?.stop();
      await service.stop();
    },
  };
}

function addressesOf({ baseUrl, authUrl, audience }: SimulatedService) {
  return { baseUrl, authUrl, audience };
}

function watchedAs(
  service: Pick<WorkspaceSettings, 'name' | 'baseUrl' | 'authUrl' | 'audience'>,
  processes: readonly string[],
  credentials: Watched['credentials'],
  timing: Timing,
): Watched {
  const workspace = workspaceSettings({
    ...service,
    credentials: 'environment',
    processes: processes.map(id => ({ id, ...timing })),
  });
  return { workspace, credentials };
}

/** How often the simulated service changes, and how often changes are looked for, in ms. */
const LIVELY = 2000;

/** The service to poll, and the data directory where none is named. The simulated service has another
 *  directory than real ones: what is left to be sent of one must never reach the receivers of the other. */
export function sourceOf(options: Options, environment: Environment) {
  if (options.config !== undefined) {
    const config = readConfigFile(options.config);
    const source = configuredSource(config, environment);
    return { config, data: '.changewire', start: async () => source };
  }
  const settings = serviceSettings(environment);
  if (settings !== undefined) {
    const source = realSource(settings, timingOf(options));
    return { config: undefined, data: '.changewire', start: async () => source };
  }
  const start = (run: RunContext) => openSimulated(run, options);
  return { config: undefined, data: '.changewire/simulated', start };
}

function timingOf({ interval, sweepInterval, overlap }: Options): Timing {
  return {
    ...(interval && { changes: interval }),
    ...(sweepInterval !== undefined && { sweep: sweepInterval }),
    ...(overlap !== undefined && { overlap }),
  };
}

async function openSimulated({ closers, directory, output }: RunContext, options: Options): Promise<Source> {
  const source = await simulatedSource({
    file: directory.file('service.json'),
    timing: { changes: { fastest: LIVELY, slowest: LIVELY }, ...timingOf(options) },
    every: options.once ? undefined : LIVELY,
    onError: error => output.warn(`The simulated service can't change: ${failure(error)}.`),
  });
  closers.defer(source.stop);
  return source;
}
