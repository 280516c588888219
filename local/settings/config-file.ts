import { existsSync, readFileSync } from 'node:fs';
import { ConfigError, readConfigs } from '../../infra/config/read.ts';
import type { Config } from '../../infra/config/schema.ts';
import { UsageError } from '../basics/usage-error.ts';

/** Reads a configuration: a JSON file with the content of `changewire` in cdk.json, or a cdk.json itself.
 *  `FILE#STACK` picks one stack of a list.
 *  @throws UsageError that names the file, each place, what was found and what is allowed */
export function readConfigFile(named: string): Config {
  const { path, stack } = parts(named);
  const content = parse(path, textOf(path));
  try {
    return chosen(readConfigs(changewireOf(content)), path, stack);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new UsageError(`${path}:\n${error.problems.map(problem => `  - ${problem}`).join('\n')}`);
  }
}

/** Splits off the stack after the last `#`, unless there is a file with the whole name. */
function parts(named: string): { path: string; stack?: string } {
  const at = named.lastIndexOf('#');
  if (at <= 0 || existsSync(named)) return { path: named };
  return { path: named.slice(0, at), stack: named.slice(at + 1) };
}

/** Picks the one stack that is meant: a run has one data directory and one set of endpoints, as a stack
 *  has one table. */
function chosen(configs: readonly Config[], path: string, stack: string | undefined): Config {
  const [only, ...others] = configs.filter(({ stackName }) => stack === undefined || stackName === stack);
  if (only && others.length === 0) return only;
  const names = configs.map(({ stackName }) => stackName);
  const found = only
    ? `holds ${configs.length} stacks, and a run is one of them`
    : 'holds no stack of that name';
  throw new UsageError(
    `--config ${path} ${found}. Name it: ${names.map(name => `--config ${path}#${name}`).join(', or ')}.`,
  );
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

/** Shows only the place of an error: the parser's own message may quote the file, which may hold a
 *  secret. */
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
