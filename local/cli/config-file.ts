import { readFileSync } from 'node:fs';
import { ConfigError, readConfig } from '../../infra/config/read.ts';
import type { Config } from '../../infra/config/schema.ts';
import { UsageError } from './usage-error.ts';

/** Reads a configuration: a JSON file with what stands under `changewire` in cdk.json, or a cdk.json itself.
 *  @throws UsageError that names the file, each place, what was found and what is allowed */
export function readConfigFile(path: string): Config {
  const content = parse(path, textOf(path));
  try {
    return readConfig(changewireOf(content));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new UsageError(`${path}:\n${error.problems.map(problem => `  - ${problem}`).join('\n')}`);
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `--config ${path} can not be read (${code}). Name a JSON file: docs/configuration.md has every key.`,
    );
  }
}

/** The parser's own message may quote the file, which may hold what nobody should read: only the place is told. */
function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    const [, line, column] = /line (\d+) column (\d+)/.exec(String(error)) ?? [];
    const place = line === undefined ? '' : ` at line ${line}, column ${column}`;
    throw new UsageError(`--config ${path} is no JSON${place}.`);
  }
}

function changewireOf(content: unknown): unknown {
  const { context, changewire } = (content ?? {}) as {
    context?: { changewire?: unknown };
    changewire?: unknown;
  };
  return context?.changewire ?? changewire ?? content;
}
