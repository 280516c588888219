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

/** A doctor that asks the service from here, with the credentials of the environment. */
export interface DirectDoctor {
  examine(asked: Asked): Promise<AnswerOf<'doctor'>>;
  /** Examines the service while somebody edits a task; says what to do, and what was seen. */
  watch(
    asked: Asked & { readonly project?: string | undefined },
    how: { readonly say: (text: string) => void; readonly signal: AbortSignal },
  ): Promise<AnswerOf<'doctor'>>;
  addressesOf(workspace: string): ServiceAddresses | undefined;
}

/** A doctor for the service of a configuration file or of SERVICE_*; undefined where there is neither:
 *  then a run or a stack is asked, which knows its service. No pass needs to have been made before. */
export async function openDoctor(
  { config: named, stack, watch = false }: DoctorPlace,
  environment: Readonly<Record<string, string | undefined>>,
  directory: string,
): Promise<DirectDoctor | undefined> {
  if (stack !== undefined) {
    if (named !== undefined)
      throw new UsageError('--stack has a configuration of its own: give --stack or --config.');
    return undefined;
  }
  const { serviceSettings } = await import('../../local/settings/watched.ts');
  const { configFileIn } = await import('../../local/settings/config-file.ts');
  const hasSettings = named === undefined && serviceSettings(environment) !== undefined;
  // A run answers with its own configuration; a watch is made from here.
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
    watch: async ({ project, ...asked }, how) => watchOf(source)(keyOf(asked), { ...how, project }),
    addressesOf: name => {
      const found = source.watched.find(({ workspace }) => workspace.name === name)?.workspace;
      return found && { baseUrl: found.baseUrl, authUrl: found.authUrl, audience: found.audience };
    },
  };
}
