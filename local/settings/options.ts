import { parseArgs } from 'node:util';
import { nearest } from '../../functions/basics/nearest.ts';
import { isWords, shown } from '../../functions/config/problems.ts';
import { KIND_SETTINGS, KINDS } from '../../functions/model/kinds.ts';
import type { Rhythm } from '../../functions/schedule/scheduled.ts';
import { parseDuration, parseRhythm } from '../basics/duration.ts';
import { UsageError } from '../basics/usage-error.ts';
import type { LogFormat } from '../terminal/output.ts';
import { CONSOLE_OPTIONS, type ConsolePlace, consolePlace, portIn } from './console-options.ts';
import {
  type EndpointOption,
  endpointOptions,
  optionOf,
  START_KINDS,
  VALUE_IS_OPTIONAL,
} from './endpoint-options.ts';

/** The options of the command line. Durations are in ms. */
export interface Options {
  /** The endpoints, in the order of the command line. */
  readonly endpoints: readonly EndpointOption[];
  /** The given configuration file, or else that of the current folder; undefined: the environment's service, or the
   *  simulated one. */
  readonly config: string | undefined;
  readonly subscribe: readonly string[];
  readonly raw: boolean;
  /** undefined: the default of a configuration file; shorter for the simulated service. */
  readonly interval: Rhythm | undefined;
  /** undefined, and `overlap` too: the default of a configuration file. */
  readonly sweepInterval: number | undefined;
  readonly overlap: number | undefined;
  /** undefined: the source's own directory. */
  readonly data: string | undefined;
  readonly memory: boolean;
  /** Names of endpoints whose dead letters are sent again. */
  readonly resend: readonly string[];
  readonly once: boolean;
  readonly json: boolean;
  readonly log: LogFormat;
  /** The port of `GET /healthz` on this machine, 0 for any free port; undefined: not served. */
  readonly health: number | undefined;
  /** The address to ping each minute; empty: that of the environment; undefined: none. */
  readonly heartbeat: string | undefined;
  /** Whether the run serves the console's page, and prints its address. */
  readonly console: boolean;
  readonly consolePlace: ConsolePlace;
  readonly help: boolean;
}

/** An option with a value that may be repeated. */
const repeated = { type: 'string', multiple: true } as const;
/** The port of `--health` without a value. */
export const HEALTH_PORT = 8321;

const CONSOLE_NAMES = Object.keys(CONSOLE_OPTIONS) as (keyof typeof CONSOLE_OPTIONS)[];
const consoleFlags = Object.fromEntries(
  CONSOLE_NAMES.map(name => [name, { type: 'string', example: CONSOLE_OPTIONS[name].example }]),
) as Readonly<Record<keyof typeof CONSOLE_OPTIONS, { readonly type: 'string'; readonly example: string }>>;

/** All options, as `parseArgs` takes them; those with a value have an example. */
const FLAGS = {
  subscribe: { ...repeated, example: 'http://localhost:9000/events' },
  raw: { type: 'boolean' },
  ...byName(START_KINDS, kind => KINDS[kind].example),
  webhook: { ...repeated, example: 'http://localhost:9000/events' },
  'webhook-secret': { ...repeated, example: 'whsec_…' },
  header: { ...repeated, example: '"Authorization: Bearer …"' },
  ...byName(KIND_SETTINGS.map(optionOf), name => {
    const setting = KIND_SETTINGS.find(each => optionOf(each) === name);
    return setting?.choices?.[0] ?? setting?.range?.[1].toString() ?? setting?.form?.example ?? '…';
  }),
  name: { ...repeated, example: 'planner' },
  filter: { ...repeated, example: 'events=task.updated,task.created' },
  config: { type: 'string', example: 'changewire.json' },
  interval: { type: 'string', example: '60s' },
  'sweep-interval': { type: 'string', example: '6h' },
  overlap: { type: 'string', example: '120s' },
  data: { type: 'string', example: '.changewire' },
  memory: { type: 'boolean' },
  resend: { ...repeated, example: 'planner' },
  once: { type: 'boolean' },
  json: { type: 'boolean' },
  log: { type: 'string', example: 'json' },
  health: { type: 'string', example: `${HEALTH_PORT}` },
  heartbeat: { type: 'string', example: 'https://monitor.example.com/ping/…' },
  ...consoleFlags,
  'no-console': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

function byName<Name extends string>(names: readonly Name[], exampleOf: (name: Name) => string) {
  const options = names.map(name => [name, { ...repeated, example: exampleOf(name) }]);
  return Object.fromEntries(options) as Readonly<Record<Name, typeof repeated & { example: string }>>;
}

/** Every option. */
export const OPTIONS: readonly { readonly name: string; readonly takesValue: boolean }[] = Object.entries(
  FLAGS,
).map(([name, { type }]) => ({ name, takesValue: type === 'string' }));

/** Reads the arguments after the script's name. `found` is the configuration file to use without `--config`.
 *  @throws UsageError */
export function parseOptions(args: readonly string[], found?: string): Options {
  const { values, tokens } = read(args.map(withValue));
  refuseCombined(values);
  const config = text('config', values.config) ?? found;
  if (config !== undefined && !values.help) refuseTimings(values, config);
  return {
    subscribe: (values.subscribe ?? []).map(endpoint),
    raw: values.raw ?? false,
    endpoints: endpointOptions(tokens),
    config,
    interval: rhythm(values.interval),
    sweepInterval: duration('sweep-interval', values['sweep-interval']),
    overlap: duration('overlap', values.overlap),
    data: text('data', values.data),
    memory: values.memory ?? false,
    resend: (values.resend ?? []).flatMap(name => text('resend', name) ?? []),
    once: values.once ?? false,
    json: values.json ?? false,
    log: logFormat(values.log),
    health: port(values.health),
    heartbeat: values.heartbeat,
    console: !values['no-console'] || CONSOLE_NAMES.some(name => values[name] !== undefined),
    consolePlace: consolePlace(values),
    help: values.help ?? false,
  };
}

type Values = ReturnType<typeof read>['values'];

/** @throws UsageError for options that can't be combined */
function refuseCombined(values: Values): void {
  if (values.memory && values.data !== undefined)
    throw new UsageError('--memory and --data cannot be combined: --memory keeps nothing.');
  if (values.memory && values.resend !== undefined)
    throw new UsageError('--memory and --resend cannot be combined: --memory keeps no dead letters.');
  if (values.raw && values.subscribe === undefined) throw new UsageError('--raw needs --subscribe URL.');
  for (const name of ['health', 'heartbeat', ...CONSOLE_NAMES] as const)
    if (values.once && values[name] !== undefined)
      throw new UsageError(`--${name} and --once cannot be combined.`);
}

/** Refuses the timing options together with a configuration file, which has its own timings. */
function refuseTimings(values: object, config: string): void {
  const beside = ['interval', 'sweep-interval', 'overlap'].find(name => Object.hasOwn(values, name));
  if (beside !== undefined)
    throw new UsageError(
      `--${beside} cannot be combined with a configuration file: set it for each process in ${config}.`,
    );
}

/** `--slack` alone stands for `--slack=`. */
function withValue(arg: string, index: number, args: readonly string[]): string {
  const next = args[index + 1];
  return VALUE_IS_OPTIONAL.has(arg) && (next === undefined || next.startsWith('-')) ? `${arg}=` : arg;
}

function read(args: readonly string[]) {
  const { tokens } = parseArgs({ args: [...args], options: FLAGS, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind === 'positional') throw new UsageError(notAnOption(token.value));
    if (token.kind === 'option') checkOption(token);
  }
  const { values } = parseArgs({ args: [...args], options: FLAGS });
  return { values, tokens: tokens.filter(token => token.kind === 'option') };
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function checkOption({ name, rawName, value, inlineValue }: OptionToken): void {
  if (!Object.hasOwn(FLAGS, name))
    throw new UsageError(
      `Unknown option ${isWords(name) ? rawName : `of ${name.length} characters`}.${suggestion(name)}`,
    );
  const flag = FLAGS[name as keyof typeof FLAGS];
  const wantsValue = flag.type === 'string';
  if (!wantsValue && value !== undefined)
    throw new UsageError(`${rawName} takes no value, found ${shown(value)}.`);
  const isOption = !inlineValue && value?.startsWith('-');
  // `parseArgs` takes the option that follows for the value.
  if (wantsValue && (value === undefined || /^--?[a-z]/i.test(value) || isOption))
    throw new UsageError(`${rawName} needs a value: --${name} ${flag.example}`);
}

function notAnOption(word: string): string {
  if (word.startsWith('whsec_')) return 'A secret without an option: write --webhook-secret before it.';
  if (/^\w+:\/\//.test(word))
    return `${shown(word)} without an option. To send events there, write --subscribe before it.`;
  return `${shown(word)} is not an option.${suggestion(word)}`;
}

function suggestion(name: string): string {
  const meant = nearest(name.replace(/^-+/, ''), Object.keys(FLAGS));
  return meant === undefined ? ' Try --help.' : ` Did you mean --${meant}?`;
}

function text(name: 'config' | 'data' | 'resend', value: string | undefined): string | undefined {
  if (value === '') throw new UsageError(`--${name} needs a value: --${name} ${FLAGS[name].example}`);
  return value;
}

function duration(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const ms = parseDuration(value);
  if (ms !== undefined) return ms;
  throw new UsageError(`--${name} takes a duration such as 500ms, 60s, 5m or 6h, found ${shown(value)}.`);
}

function rhythm(value: string | undefined): Rhythm | undefined {
  const found = value === undefined ? undefined : parseRhythm(value);
  if (found || value === undefined) return found;
  throw new UsageError(
    `--interval takes a duration such as 60s, or a range such as 10s-5m, found ${shown(value)}.`,
  );
}

function logFormat(value: string | undefined): LogFormat {
  if (value === undefined || value === 'text' || value === 'json') return value ?? 'text';
  throw new UsageError(`--log takes text or json, found ${shown(value)}.`);
}

function port(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  return value === '' ? HEALTH_PORT : portIn('health', value);
}

function endpoint(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new UsageError(`--subscribe takes an http or https URL, found ${shown(value)}.`);
  if (url.port === '0') throw new UsageError('--subscribe: port 0 is not valid.');
  if (!isDecodable(url.username) || !isDecodable(url.password))
    throw new UsageError('--subscribe: write a "%" in the user name or password as %25.');
  return value;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
