import { readFileSync } from 'node:fs';
import type * as z from 'zod';
import { crossProblems, stackProblems } from './cross-checks.ts';
import { checkedBy, withoutRoot } from './problems.ts';
import { type Config, type ConfigInput, configSchema, configsSchema, deployedSchema } from './schema.ts';
import {
  credentialsName,
  type ProcessSettings,
  type WorkspaceSettings,
  workspaceConfig,
  workspacesOf,
} from './workspace.ts';

/** The configuration is invalid. */
export class ConfigError extends Error {
  /** A line for each problem: the path, the value found, the values allowed. */
  readonly problems: readonly string[];

  /** `place`: the place of the configuration, for the first line of the message. */
  constructor(found: readonly string[], place = 'the context of cdk.json') {
    const count = found.length === 1 ? '1 problem' : `${found.length} problems`;
    super(`${count} in ${place}:\n${found.map(problem => `  - ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
    this.problems = found;
  }
}

/** Reads the `changewire` context: one stack, or a list of them. Each part is checked first, then how the
 *  parts fit together.
 *  @throws ConfigError with all problems of the first of these steps that finds any */
export function readConfigs(input: unknown): Config[] {
  if (!Array.isArray(input)) return [readConfig(input)];
  return checked(configsSchema, input, configs => [
    ...configs.flatMap((config, index) => crossProblems(config, [index])),
    ...stackProblems(configs),
  ]);
}

/** Reads the configuration of one stack. */
export function readConfig(input: unknown): Config {
  return checked(configSchema, input, crossProblems);
}

/** The configurations of the `changewire` context as they are written, after a check.
 *  @throws ConfigError as `readConfigs` */
export function rightConfigs(input: unknown): ConfigInput[] {
  readConfigs(input);
  return [input].flat() as ConfigInput[];
}

function checked<Output>(
  schema: z.ZodType<Output>,
  input: unknown,
  fitting: (parsed: Output) => readonly string[],
): Output {
  const result = checkedBy(schema, input, fitting);
  if ('problems' in result) throw new ConfigError(result.problems);
  return result.parsed;
}

/** The name of the configuration file beside the bundled code of the functions. It is a file because an
 *  environment has 4 KB, room for a few dozen processes. It has no secrets. */
export const DEPLOYED = 'configuration.json';

/** The configuration in the form that functions use. */
type Deployed = Omit<z.infer<typeof deployedSchema>, 'workspaces'> & {
  readonly workspaces: readonly WorkspaceSettings[];
};

/** Reads that file beside the bundle of a function.
 *  @throws an error that names each invalid key, and quotes nothing that may be secret */
export function readDeployed(bundle: string): Deployed {
  return deployedOf(readFileSync(new URL(DEPLOYED, bundle), 'utf8'));
}

/** The configuration in the text of such a file. @throws as `readDeployed` */
export function deployedOf(text: string): Deployed {
  const result = checkedBy(deployedSchema, parsed(text));
  if ('problems' in result)
    throw new Error(`Invalid ${DEPLOYED}: ${result.problems.map(withoutRoot).join('; ')}. Redeploy.`);
  return { ...result.parsed, workspaces: workspacesOf(result.parsed) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message would quote the text.
    throw new Error(`${DEPLOYED} is not valid JSON. Redeploy.`);
  }
}

/** A workspace without a file: its required settings, and those that differ from the defaults. */
type GivenWorkspace = Partial<Omit<WorkspaceSettings, 'processes'>> &
  Pick<WorkspaceSettings, 'name' | 'baseUrl' | 'authUrl' | 'audience'> & {
    readonly processes: readonly (Partial<ProcessSettings> & Pick<ProcessSettings, 'id'>)[];
  };

/** Its settings. Times are in ms, without the limits of the file. */
export function workspaceSettings({ processes, ...service }: GivenWorkspace): WorkspaceSettings {
  const workspace = workspaceConfig.parse({ ...service, processes: processes.map(({ id }) => ({ id })) });
  const usual = configSchema.pick({ changes: true, sweep: true }).parse({});
  return {
    ...workspace,
    credentials: credentialsName(workspace),
    processes: workspace.processes.map((process, index) => ({ ...process, ...usual, ...processes[index] })),
  };
}
