import type * as z from 'zod';
import { crossProblems, stackProblems } from './cross-checks.ts';
import { problems } from './problems.ts';
import { type Config, configSchema, configsSchema } from './schema.ts';

/** The configuration is not what it must be; `problems` holds one line each: path, what was found, what is allowed. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(found: readonly string[]) {
    const count = found.length === 1 ? '1 problem' : `${found.length} problems`;
    super(`${count} in the context of cdk.json:\n${found.map(problem => `  - ${problem}`).join('\n')}`);
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

function checked<Output>(
  schema: z.ZodType<Output>,
  input: unknown,
  fitting: (parsed: Output) => readonly string[],
): Output {
  const parsed = schema.safeParse(input);
  const found = parsed.success ? fitting(parsed.data) : problems(schema, parsed.error, input);
  if (found.length > 0 || !parsed.success) throw new ConfigError(found);
  return parsed.data;
}
