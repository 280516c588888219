import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getNodeValue, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { withoutRoot } from '../../functions/config/problems.ts';
import { ConfigError, readConfig, readConfigs, rightConfigs } from '../../functions/config/read.ts';
import type { Config, ConfigInput } from '../../functions/config/schema.ts';
import { UsageError } from '../basics/usage-error.ts';

/** The configuration file in the current folder that is used without `--config`. */
export const CONFIG_FILE = 'changewire.json';

/** The configuration file in `directory`; undefined if it is missing. */
export function configFileIn(directory: string): string | undefined {
  return existsSync(join(directory, CONFIG_FILE)) ? CONFIG_FILE : undefined;
}

/** Reads a configuration: a JSON file, optionally with comments, with the content of `changewire` in cdk.json, or a
 *  cdk.json itself. `FILE#STACK` picks a stack of a list.
 *  @throws UsageError that names the file and, for each problem, the place, the value and the allowed values */
export function readConfigFile(named: string): Config {
  const { path, stack } = parts(named);
  return chosen(readBy(readConfigs, path), path, stack);
}

/** Reads every stack of a configuration file; for `FILE#STACK`, only that stack. @throws UsageError as
 *  `readConfigFile` */
export function readConfigsFile(named: string): readonly Config[] {
  const { path, stack } = parts(named);
  const configs = readBy(readConfigs, path);
  return stack === undefined ? configs : [chosen(configs, path, stack)];
}

/** The same without defaults, as written, to be read again elsewhere. @throws UsageError as `readConfigFile` */
export function writtenConfigsFile(named: string): readonly ConfigInput[] {
  const names = readConfigsFile(named).map(({ stackName }) => stackName);
  const written = readBy(rightConfigs, parts(named).path);
  return written.filter(config => names.includes(readConfig(config).stackName));
}

function readBy<Read>(read: (content: unknown) => Read, path: string): Read {
  const { configuration, hasKey } = changewireOf(parse(path, textOf(path)));
  try {
    return read(configuration);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const problems = hasKey ? error.problems : error.problems.map(withoutRoot);
    throw new UsageError(`${path}:\n${problems.map(problem => `  - ${problem}`).join('\n')}`);
  }
}

/** Splits off the stack after the last `#`, unless a file has the whole name. */
function parts(named: string): { path: string; stack?: string } {
  const at = named.lastIndexOf('#');
  if (at <= 0 || existsSync(named)) return { path: named };
  return { path: named.slice(0, at), stack: named.slice(at + 1) };
}

/** Picks the requested stack: a run has one data directory and one set of endpoints, as a stack has one table. */
function chosen(configs: readonly Config[], path: string, stack: string | undefined): Config {
  const [only, ...others] = configs.filter(({ stackName }) => stack === undefined || stackName === stack);
  if (only && others.length === 0) return only;
  const names = configs.map(({ stackName }) => stackName);
  const found = only ? `has ${configs.length} stacks` : 'has no stack of that name';
  throw new UsageError(
    `--config ${path} ${found}. Name one: ${names.map(name => `--config ${path}#${name}`).join(' or ')}.`,
  );
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `Could not read ${path} (${code}). Name a JSON file; "npx changewire init" writes one, and docs/configuration.md lists all keys.`,
    );
  }
}

function parse(path: string, text: string): unknown {
  try {
    return parseJsonc(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    if (error instanceof JsoncError) throw new UsageError(`${path} is not valid JSON (${error.message}).`);
    throw error;
  }
}

/** The configuration in the file: the value of its key `changewire`, or the whole content. */
function changewireOf(content: unknown): { configuration: unknown; hasKey: boolean } {
  const { context, changewire } = (content ?? {}) as {
    context?: { changewire?: unknown };
    changewire?: unknown;
  };
  const configuration = context?.changewire ?? changewire;
  return { configuration: configuration ?? withoutSchema(content), hasKey: configuration !== undefined };
}

/** Leaves out `$schema`, which editors use to check the file. */
function withoutSchema(content: unknown): unknown {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) return content;
  const { $schema, ...rest } = content as Record<string, unknown>;
  return typeof $schema === 'string' ? rest : content;
}

/** The text is not JSON. The message has the place and the problem, and quotes nothing: the text may contain a
 *  secret. */
export class JsoncError extends Error {}

/** The problems, by the parser's names; for all others only the place is shown. */
const PROBLEMS: Readonly<Record<string, string>> = {
  InvalidSymbol: 'keys and strings need double quotes',
  CommaExpected: 'missing comma or closing bracket before it',
  ColonExpected: 'missing colon before it',
  PropertyNameExpected: 'expected a key in double quotes',
  ValueExpected: 'expected a value',
  CloseBraceExpected: 'missing }',
  CloseBracketExpected: 'missing ]',
  EndOfFileExpected: 'expected the end of the file',
  UnexpectedEndOfComment: 'unclosed comment',
  UnexpectedEndOfString: 'unclosed string',
};

/** Reads JSON that may have comments and trailing commas. @throws JsoncError */
export function parseJsonc(text: string): unknown {
  const errors: ParseError[] = [];
  // Not `parse`, which loses a key `__proto__`.
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (root && !first) return getNodeValue(root);
  const place = placeOf(text, first?.offset ?? 0);
  const problem = first && PROBLEMS[printParseErrorCode(first.error)];
  throw new JsoncError(`${place}${problem === undefined ? '' : `: ${problem}`}`);
}

/** Lines and columns count from 1. */
function placeOf(text: string, offset: number): string {
  const lines = text.slice(0, offset).split('\n');
  return `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`;
}
