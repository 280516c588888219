import { join } from 'node:path';
import type { ServiceAddresses } from '../../functions/doctor/settings.ts';
import type { AnswerOf } from '../../functions/operations/protocol/answers.ts';
import { UsageError } from '../../local/basics/usage-error.ts';
import type { Place } from './connection.ts';

export interface DoctorPlace extends Place {
  /** A configuration file. */
  readonly config?: string | undefined;
  /** True for --watch: then also the configuration file of the current folder. */
  readonly watch?: boolean | undefined;
}

interface Asked {
  readonly process: string;
  readonly workspace?: string | undefined;
}

/** A doctor that calls the service from this machine, with the credentials of the environment. */
export interface DirectDoctor {
  examine(asked: Asked): Promise<AnswerOf<'doctor'>>;
  /** Examines the service while a user edits a task; reports what to do, and what was observed. */
  watch(
    asked: Asked & { readonly project?: string | undefined },
    options: { readonly report: (text: string) => void; readonly signal: AbortSignal },
  ): Promise<AnswerOf<'doctor'>>;
  addressesOf(workspace: string): ServiceAddresses | undefined;
}

/** A doctor for the service of a configuration file or of SERVICE_*; undefined if there is neither: then the
 *  run or stack examines its own service. */
export async function openDoctor(
  { config: named, stack, watch = false }: DoctorPlace,
  environment: Readonly<Record<string, string | undefined>>,
  directory: string,
): Promise<DirectDoctor | undefined> {
  if (stack !== undefined) {
    if (named !== undefined)
      throw new UsageError('--stack and --config cannot be combined: a stack has its own configuration.');
    return undefined;
  }
  const { serviceSettings } = await import('../../local/settings/watched.ts');
  const { configFileIn } = await import('../../local/settings/config-file.ts');
  const hasSettings = named === undefined && serviceSettings(environment) !== undefined;
  // Without --watch, a run answers with its own configuration.
  const file = watch && !hasSettings ? configFileIn(directory) : undefined;
  const config = named ?? (file && join(directory, file));
  if (config === undefined && !hasSettings) return undefined;
  const { namedSource } = await import('../../local/settings/source.ts');
  const source = namedSource(config, environment)?.source;
  if (!source) return undefined;
  const { doctorOf, watchOf, workspaceOf } = await import('../../local/operate/doctor.ts');
  const keyOf = ({ process, workspace }: Asked) => ({
    workspace: workspaceOf(source, process, workspace),
    processId: process,
  });
  return {
    examine: async asked => doctorOf(source)(keyOf(asked)),
    watch: async ({ project, ...asked }, options) => watchOf(source)(keyOf(asked), { ...options, project }),
    addressesOf: name => {
      const found = source.watched.find(({ workspace }) => workspace.name === name)?.workspace;
      return found && { baseUrl: found.baseUrl, authUrl: found.authUrl, audience: found.audience };
    },
  };
}
