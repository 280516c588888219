import type * as z from 'zod';
import { crossProblems, stackProblems } from './cross-checks.ts';
import { problems } from './problems.ts';
import { type Config, type ConfigInput, configSchema, configsSchema } from './schema.ts';

/** The configuration is not what it must be; `problems` holds one line each: path, what was found, what is allowed. */
export class ConfigError extends Error {
  /** One line each. */
  readonly problems: readonly string[];

  /** `place`: where the configuration stands, for the first line of the message. */
  constructor(found: readonly string[], place = 'the context of cdk.json') {
    const count = found.length === 1 ? '1 problem' : `${found.length} problems`;
    super(`${count} in ${place}:\n${found.map(problem => `  - ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
    this.problems = found;
  }
}

/** Reads the `changewire` context: one stack, or a list of them. First each part is checked by itself,
 *  then how the parts fit together.
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
  return checked(configSchema, input, config => crossProblems(config));
}

/** The configurations of the `changewire` context as they are written, once all of them are known to be right.
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

/** What the schema makes of the input; or what is wrong with it, or else with how its parts fit together. */
export function checkedBy<Output>(
  schema: z.ZodType<Output>,
  input: unknown,
  fitting: (parsed: Output) => readonly string[],
): { readonly parsed: Output } | { readonly problems: readonly string[] } {
  const result = schema.safeParse(input);
  const found = result.success ? fitting(result.data) : problems(schema, result.error, input);
  return result.success && found.length === 0 ? { parsed: result.data } : { problems: found };
}
