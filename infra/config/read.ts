import { crossProblems } from './cross-checks.ts';
import { problems } from './problems.ts';
import { type Config, configSchema } from './schema.ts';

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

/** Reads the `changewire` context. First every part is checked, then how the parts fit together.
 *  Throws ConfigError with every problem of the first of these two that finds any. */
export function readConfig(input: unknown): Config {
  const parsed = configSchema.safeParse(input);
  const found = parsed.success ? crossProblems(parsed.data) : problems(configSchema, parsed.error, input);
  if (found.length > 0 || !parsed.success) throw new ConfigError(found);
  return parsed.data;
}
