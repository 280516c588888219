import { type Command, InvalidArgumentError, Option } from 'commander';
import { eitherOf } from '../../functions/basics/names-in-words.ts';
import {
  type EndpointKind,
  isPulled,
  KIND_NAMES,
  KIND_SETTINGS,
  KINDS,
  type KindSettings,
  kindSettingsOf,
} from '../../functions/model/kinds.ts';
import { sendsFrom } from '../../functions/model/windows.ts';
import { didYouMean } from '../../functions/operations/refused.ts';
import { UsageError } from '../../local/basics/usage-error.ts';
import { filterOption, optionOf, readHeader } from '../../local/settings/endpoint-options.ts';
import type { Input } from '../context/input.ts';
import type { Cli } from '../context/runner.ts';
import { each, rateOf, wholeIn } from '../options/parsers.ts';
import { text } from '../show/display.ts';
import { at } from '../show/times.ts';
import { examples } from './example.ts';

interface Settings {
  readonly header?: string[];
  readonly filter?: string[];
  readonly perSecond?: number;
  readonly failuresOnly?: boolean;
  readonly withoutRecord?: boolean;
}
interface Added extends Settings, KindSettings, Partial<Record<string, unknown>> {
  readonly secret?: string[];
}
interface Changed extends Settings, KindSettings {
  readonly url?: string;
  readonly removeHeader?: string[];
  readonly everyEvent?: boolean;
  readonly allAttempts?: boolean;
  readonly atOnce?: boolean;
  readonly unset?: string[];
  readonly withRecord?: boolean;
}

export function endpointSettingCommands(endpoints: Command, { run }: Cli): void {
  addCommand(endpoints)
    .addHelpText(
      'after',
      examples(
        'endpoints add crm --webhook https://crm.example.com/events --filter events=task.updated',
        'endpoints add launches --slack - --filter processes=launch < url.txt',
        'endpoints add flow --webhook https://n8n.example.com/webhook/abc --header -',
      ),
    )
    .action(
      run(async ({ ask, print, input }, endpoint: string, options: Added) => {
        const { kind, given } = kindOf(options);
        const url = given === true ? undefined : await hidden(input, given, `The ${kind} URL`);
        const secrets: string[] = [];
        for (const one of options.secret ?? []) secrets.push(await hidden(input, one, 'The signing secret'));
        const headers = await headersOf(options, input);
        const settings = {
          ...settingsOf(options),
          ...kindSettingsOf(options),
          ...(secrets.length > 0 && { secrets }),
          ...(headers && { headers }),
        };
        const made = await ask({
          operation: 'add-endpoint',
          endpoint,
          kind,
          ...(url !== undefined && { url }),
          ...settings,
        });
        for (const warning of made.warnings ?? []) print.note(warning);
        print.answer(made, display => {
          const first = sendsFrom(options, undefined, display.now);
          const starts =
            first === display.now
              ? 'Delivery starts within seconds.'
              : `The first message with changes is sent ${at(new Date(first).toISOString(), display)}.`;
          const signed =
            made.secret === undefined ? '' : `\n${text`Signing secret: ${made.secret} (shown only once)`}`;
          return `${text`Added ${endpoint}. ${starts}`}${signed}`;
        });
      }),
    );
  updateCommand(endpoints)
    .addHelpText(
      'after',
      examples(
        'endpoints update crm --filter to:status=Done --per-second 5',
        'endpoints update launches --url -',
        'endpoints update launches --unset window --unset locale',
      ),
    )
    .action(
      run(async ({ ask, print, input }, endpoint: string, options: Changed) => {
        const { everyEvent, allAttempts, withRecord, atOnce, unset = [], removeHeader = [] } = options;
        const removed = Object.fromEntries(removeHeader.map(name => [name, null]));
        const headers = { ...removed, ...(await headersOf(options, input)) };
        const given = { ...settingsOf(options), ...kindSettingsOf(options) };
        const both = unset.find(name => Object.hasOwn(given, UNSETTABLE[name] as string));
        if (both !== undefined) throw new UsageError(`--unset ${both} cannot be combined with --${both}.`);
        const changes = {
          ...(atOnce && { window: null, digest: null, quiet: null }),
          ...given,
          ...Object.fromEntries(unset.map(name => [UNSETTABLE[name], null])),
          ...(everyEvent && { filter: null }),
          ...(allAttempts && { keepSuccesses: true }),
          ...(withRecord && { record: null }),
          ...(options.url !== undefined && { url: await hidden(input, options.url, 'The URL') }),
          ...(Object.keys(headers).length > 0 && { headers }),
        };
        if (Object.keys(changes).length === 0)
          throw new UsageError('Specify what to change: --url, --header, --filter, --per-second, --unset, …');
        const changed = await ask({ operation: 'update-endpoint', endpoint, ...changes });
        for (const warning of changed.warnings ?? []) print.note(warning);
        print.answer(changed, () => text`Updated ${endpoint}. Takes effect within seconds.`);
      }),
    );
}

/** The settings that have a default, by their options. */
const UNSETTABLE: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    KIND_SETTINGS.filter(({ isRequired }) => !isRequired).map(setting => [optionOf(setting), setting.name]),
  ),
  ...{ filter: 'filter', 'per-second': 'perSecond' },
  ...{ 'failures-only': 'keepSuccesses', 'without-record': 'record' },
};

/** @throws InvalidArgumentError */
function unsettable(text: string, before?: readonly string[]): string[] {
  const name = text.replace(/^--/, '');
  const names = Object.keys(UNSETTABLE);
  if (Object.hasOwn(UNSETTABLE, name)) return each(name, before);
  throw new InvalidArgumentError(`Expected one of: ${names.join(', ')}.${didYouMean(name, names)}`);
}

function addCommand(endpoints: Command): Command {
  const add = endpoints
    .command('add <name>')
    .description(
      'add an endpoint; use - to read from a prompt, or from stdin one a line: URL, secrets, headers',
    );
  for (const kind of KIND_NAMES)
    add.option(isPulled({ kind }) ? `--${kind}` : `--${kind} <url>`, KINDS[kind].what);
  add.option(
    '--secret <whsec>',
    'signing secret of a webhook; repeatable (default: generated and shown once)',
    each,
  );
  return withSettings(add);
}

function updateCommand(endpoints: Command): Command {
  const update = endpoints
    .command('update <name>')
    .description('update an endpoint; omitted settings stay as they are')
    .option('--url <url>', 'new URL; - reads it from stdin or a prompt')
    .option('--unset <option>', 'back to the default, such as "digest"; repeatable', unsettable)
    .option('--remove-header <name>', 'no longer send this header; repeatable', each)
    .option('--every-event', 'remove the filter')
    .option('--all-attempts', 'record successful attempts too')
    .option('--with-record', 'send records again')
    .option('--at-once', 'no window, digest or quiet hours');
  return withSettings(update);
}

function withSettings(command: Command): Command {
  for (const setting of KIND_SETTINGS) command.addOption(kindOption(setting));
  return command
    .option('--header <header>', 'send this "Name: value" with each request; repeatable, up to 10', each)
    .option('--filter <key=a,b>', 'only events that match, as for start; repeatable', each)
    .option('--per-second <n>', 'maximum requests per second, from 1 to 100', rateOf)
    .option('--failures-only', 'record failed attempts only')
    .option('--without-record', 'send events without project.record and task.record; not for a chat');
}

/** The option for a setting of some kinds. */
function kindOption(setting: (typeof KIND_SETTINGS)[number]): Option {
  const { kinds, what, choices, range, form } = setting;
  const such = form ? `, such as "${form.example}"` : '';
  const option = new Option(
    `--${optionOf(setting)} <${range ? 'n' : 'value'}>`,
    `with ${kinds.length > 1 ? 'a chat' : `--${kinds[0]}`}: ${what}${range ? `, from ${range.join(' to ')}` : such}`,
  );
  if (range) option.argParser(wholeIn(range));
  return choices ? option.choices(choices) : option;
}

function settingsOf({ filter, perSecond, failuresOnly, withoutRecord }: Settings) {
  return {
    ...(filter && { filter: filterOption(filter) }),
    ...(perSecond !== undefined && { perSecond }),
    ...(failuresOnly && { keepSuccesses: false }),
    ...(withoutRecord && { record: false }),
  };
}

function kindOf(options: Added): { kind: EndpointKind; given: string | true } {
  const givenTo = (kind: EndpointKind) => options[new Option(`--${kind}`).attributeName()];
  const kinds = KIND_NAMES.filter(kind => givenTo(kind) !== undefined);
  const [kind] = kinds;
  if (kind === undefined || kinds.length > 1)
    throw new UsageError(
      `An endpoint has exactly one kind: use ${eitherOf(KIND_NAMES.map(kind => `--${kind}`))}.`,
    );
  return { kind, given: givenTo(kind) as string | true };
}

/** @throws UsageError, which shows no value */
async function headersOf({ header = [] }: Settings, input: Input) {
  const headers: Record<string, string> = {};
  for (const given of header) {
    const [name, value] = readHeader('--header', await hidden(input, given, 'The header ("Name: value")'));
    headers[name] = value;
  }
  return header.length > 0 ? headers : undefined;
}

/** Reads a value for `-`: other users of the machine can see arguments. */
async function hidden(input: Input, given: string, what: string): Promise<string> {
  return given === '-' ? input.secret(what) : given;
}
