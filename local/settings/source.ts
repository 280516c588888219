import { workspaceSettings } from '../../functions/config/read.ts';
import type { Config } from '../../functions/config/schema.ts';
import type { ProcessSettings, WorkspaceSettings } from '../../functions/config/workspace.ts';
import { startChanging, startSimulatedService } from '../../simulator/server.ts';
import type { Environment } from '../basics/process.ts';
import { failure } from '../basics/usage-error.ts';
import type { RunContext } from '../data/data-directory.ts';
import { readConfigFile } from './config-file.ts';
import type { Options } from './options.ts';
import { type ServiceSettings, serviceSettings, type Watched, watchedOf } from './watched.ts';

/** The watched services: real ones or the simulated one. */
export interface Source {
  readonly watched: readonly Watched[];
  /** Its name in the banner. */
  readonly description: string;
  readonly simulated: boolean;
}

/** The intervals of polling and sweeps, and the overlap, in ms. Missing ones have the defaults of a configuration
 *  file. */
export type Timing = Partial<Pick<ProcessSettings, 'changes' | 'sweep' | 'overlap'>>;

/** The service to poll, and the default data directory. `source` is missing for the simulated service, which must be
 *  started first; it has its own directory: the undelivered events of one service must never reach the receivers of
 *  the other. */
export function sourceOf(options: Options, environment: Environment) {
  const timing = timingOf(options);
  const named = namedSource(options.config, environment, timing);
  if (named) return { ...named, data: '.changewire', start: async () => named.source };
  const start = (run: RunContext) =>
    simulatedSource(run, {
      file: run.directory.file('service.json'),
      timing: { changes: { fastest: LIVELY_MS, slowest: LIVELY_MS }, ...timing },
      every: options.once ? undefined : LIVELY_MS,
    });
  return { config: undefined, source: undefined, data: '.changewire/simulated', start };
}

/** The service of a configuration file, or else of SERVICE_*; undefined without either. @throws UsageError */
export function namedSource(
  file: string | undefined,
  environment: Environment,
  timing: Timing = {},
): { readonly source: Source; readonly config?: Config } | undefined {
  if (file !== undefined) {
    const config = readConfigFile(file);
    return { config, source: configuredSource(config, environment) };
  }
  const settings = serviceSettings(environment);
  return settings && { source: realSource(settings, timing) };
}

/** The workspaces of a configuration file. */
export function configuredSource(config: Config, environment: Environment): Source {
  const watched = watchedOf(config, environment);
  const names = watched.map(({ workspace }) => workspace.name);
  return { watched, description: names.join(', '), simulated: false };
}

/** The real service of the environment. Its host is the name of the workspace, so that the snapshots of
 *  one instance are never compared with records of another. */
export function realSource(settings: ServiceSettings, timing: Timing): Source {
  const { host } = new URL(settings.baseUrl);
  const name = host.replaceAll(/[^A-Za-z0-9]/g, '-').slice(0, 64);
  const watched = [watchedAs(name, settings, settings.processes, timing)];
  return { watched, description: `the service at ${host}`, simulated: false };
}

/** How often the simulated service changes, and how often it is polled, in ms. */
const LIVELY_MS = 2000;
/** Audit entries that the simulated service keeps. Each edit writes the whole state, which a longer log
 *  would slow down; passes read the log every few seconds, so they miss none. */
const AUDIT_RETENTION = 1_000;

/** Starts the simulated service, whose state is in `file`. `every` is the mean time between two of its
 *  changes, in ms; undefined: nothing changes. */
export async function simulatedSource(
  { closers, output }: Pick<RunContext, 'closers'> & { readonly output: Pick<RunContext['output'], 'warn'> },
  { file, every, timing }: { file: string; timing: Timing; every: number | undefined },
): Promise<Source> {
  const service = await startSimulatedService({ file, freedoms: { auditRetention: AUDIT_RETENTION } });
  closers.defer(() => service.stop());
  if (every !== undefined) {
    const onError = (error: unknown) =>
      output.warn(`The simulated service could not make a change: ${failure(error)}.`, {
        code: 'simulator.change-failed',
      });
    closers.defer(startChanging(service, { every, onError }).stop);
  }
  const watched = [watchedAs('simulated', service, service.workspace.processes(), timing)];
  return { watched, description: 'a simulated service', simulated: true };
}

function watchedAs(
  name: string,
  service: Pick<WorkspaceSettings, 'baseUrl' | 'authUrl' | 'audience'> & Watched['credentials'],
  processes: readonly string[],
  timing: Timing,
): Watched {
  const { baseUrl, authUrl, audience, clientId, clientSecret } = service;
  const workspace = workspaceSettings({
    ...{ name, baseUrl, authUrl, audience },
    credentials: 'environment',
    processes: processes.map(id => ({ id, ...timing })),
  });
  return { workspace, credentials: { clientId, clientSecret } };
}

function timingOf({ interval, sweepInterval, overlap }: Options): Timing {
  return {
    ...(interval && { changes: interval }),
    ...(sweepInterval !== undefined && { sweep: sweepInterval }),
    ...(overlap !== undefined && { overlap }),
  };
}
