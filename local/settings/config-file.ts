import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getNodeValue, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { withoutRoot } from '../../functions/config/problems.ts';
import { ConfigError, readConfig, readConfigs, rightConfigs } from '../../functions/config/read.ts';
import type { Config, ConfigInput } from '../../functions/config/schema.ts';
import { UsageError } from '../basics/usage-error.ts';

/** The configuration file that is taken from the current folder where none is named. */
export const CONFIG_FILE = 'changewire.json';

/** The configuration file that `directory` has; undefined: it has none. */
export function configFileIn(directory: string): string | undefined {
  return existsSync(join(directory, CONFIG_FILE)) ? CONFIG_FILE : undefined;
}

/** Reads a configuration: a JSON file, with comments if it likes, with the content of `changewire` in cdk.json, or a cdk.json
 *  itself. `FILE#STACK` picks one stack of a list.
 *  @throws UsageError that names the file, each place, what was found and what is allowed */
export function readConfigFile(named: string): Config {
  const { path, stack } = parts(named);
  return chosen(readBy(readConfigs, path), path, stack);
}

/** Reads every stack of a configuration file; of `FILE#STACK` that one alone. @throws UsageError as `readConfigFile` */
export function readConfigsFile(named: string): readonly Config[] {
  const { path, stack } = parts(named);
  const configs = readBy(readConfigs, path);
  return stack === undefined ? configs : [chosen(configs, path, stack)];
}

/** The same as it is written, for what reads it once more. @throws UsageError as `readConfigFile` */
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
  const found = only ? `holds ${configs.length} stacks, and one is meant` : 'holds no stack of that name';
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
      `${path} can not be read (${code}). Name a JSON file (npx changewire init writes one): docs/configuration.md has every key.`,
    );
  }
}

function parse(path: string, text: string): unknown {
  try {
    return parseJsonc(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    if (error instanceof JsoncError) throw new UsageError(`${path} is no JSON at ${error.message}.`);
    throw error;
  }
}

/** What the file configures: what stands under its key `changewire`, or all of it. */
function changewireOf(content: unknown): { configuration: unknown; hasKey: boolean } {
  const { context, changewire } = (content ?? {}) as {
    context?: { changewire?: unknown };
    changewire?: unknown;
  };
  const configuration = context?.changewire ?? changewire;
  return { configuration: configuration ?? withoutSchema(content), hasKey: configuration !== undefined };
}

/** Leaves out `$schema`, by which editors know what may stand in the file. */
function withoutSchema(content: unknown): unknown {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) return content;
  const { $schema, ...rest } = content as Record<string, unknown>;
  return typeof $schema === 'string' ? rest : content;
}

/** The text is no JSON. The message says where and what is wrong, and quotes nothing: the text may hold a secret. */
export class JsoncError extends Error {}

/** What is wrong, by the parser's name for it; of anything else only the place is shown. */
const WRONG: Readonly<Record<string, string>> = {
  InvalidSymbol: 'keys and texts need double quotes',
  CommaExpected: 'a comma or a closing bracket is missing before it',
  ColonExpected: 'a colon is missing before it',
  PropertyNameExpected: 'a key in double quotes is expected',
  ValueExpected: 'a value is expected',
  CloseBraceExpected: 'a } is missing',
  CloseBracketExpected: 'a ] is missing',
  EndOfFileExpected: 'nothing more is expected',
  UnexpectedEndOfComment: 'the comment has no end',
  UnexpectedEndOfString: 'the text has no end on its line',
};

/** Reads JSON that may have comments and trailing commas. @throws JsoncError */
export function parseJsonc(text: string): unknown {
  const errors: ParseError[] = [];
  // Not `parse`, for which a key `__proto__` would be no key.
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (root && !first) return getNodeValue(root);
  const place = placeOf(text, first?.offset ?? 0);
  const wrong = first && WRONG[printParseErrorCode(first.error)];
  throw new JsoncError(`${place}${wrong === undefined ? '' : `: ${wrong}`}`);
}

/** Lines and columns count from 1. */
function placeOf(text: string, offset: number): string {
  const lines = text.slice(0, offset).split('\n');
  return `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`;
}
