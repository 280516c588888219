import { parseArgs } from 'node:util';
import type { EndpointKind } from '../../functions/endpoints/endpoint.ts';
import type { EndpointFilter } from '../../infra/config/filter.ts';
import { parseDuration } from '../cli/duration.ts';
import { filterOption } from '../cli/filter-option.ts';
import { UsageError } from '../cli/usage-error.ts';

export const HELP = `npm run endpoints -- COMMAND [--data DIR]   what people do to the endpoints of a local run, also while it runs

  list                                        all endpoints: how they do, and what waits for them
  add NAME --webhook URL [--secret whsec_…]   adds one; --slack URL and --teams URL, too. A signing secret is made unless given
                                              [--filter key=value,…]… [--per-second N] [--failures-only]
  update NAME [--url URL] [--filter …] …      changes one
  pause NAME, resume NAME, remove NAME        what comes meanwhile waits
  rotate-secret NAME [--finish]               signs with a new secret and the old one; --finish drops the old one
  test NAME                                   sends it a test event, and shows the answer
  attempts NAME                               its last attempts
  resend EVENT-ID --to NAME                   sends one event to it once more
  replay NAME --since 2h|2026-11-21T09:00Z [--until …]   sends it all of a time once more, through its filter

  --data DIR   where the run keeps what it knows; .changewire/simulated by default, or .changewire if that is there
`;

export const COMMANDS = [
  ...['list', 'add', 'update', 'pause', 'resume', 'remove', 'rotate-secret'],
  ...['test', 'attempts', 'resend', 'replay'],
] as const;

/** What is asked for on the command line. */
export interface Asked {
  readonly command: string;
  /** An endpoint's name, or an event's id; empty where none is given. */
  readonly what: string;
  readonly data: string | undefined;
  readonly kind: EndpointKind | undefined;
  readonly url: string | undefined;
  readonly secrets: readonly string[];
  readonly filter: EndpointFilter | undefined;
  readonly perSecond: number | undefined;
  readonly keepSuccesses: boolean | undefined;
  readonly finish: boolean;
  readonly to: string | undefined;
  readonly since: number | undefined;
  readonly until: number | undefined;
}

/** @throws UsageError that names what is wrong and what is allowed */
export function askedOf(args: readonly string[], now: number): Asked {
  const { values, positionals } = parsed(args);
  const [command = '', what = '', ...more] = positionals;
  if (!(COMMANDS as readonly string[]).includes(command))
    throw new UsageError(`There is no command of this name; there are ${COMMANDS.join(', ')}.`);
  if (more.length > 0) throw new UsageError(`${command} takes one name.`);
  if (command !== 'list' && what === '')
    throw new UsageError(
      `${command} takes ${command === 'resend' ? 'the id of an event' : "an endpoint's name"}.`,
    );
  const kinds = (['webhook', 'slack', 'teams'] as const).filter(kind => values[kind] !== undefined);
  if (kinds.length > 1) throw new UsageError('An endpoint is a webhook, Slack or Teams: give one of them.');
  const [kind] = kinds;
  return {
    ...{ command, what, kind },
    data: values.data,
    url: kind ? values[kind] : values.url,
    secrets: values.secret ?? [],
    filter: values.filter ? filterOption(values.filter) : undefined,
    perSecond: values['per-second'] === undefined ? undefined : Number(values['per-second']),
    keepSuccesses: values['failures-only'] ? false : undefined,
    finish: values.finish ?? false,
    to: values.to,
    since: timeOf('--since', values.since, now),
    until: timeOf('--until', values.until, now),
  };
}

function parsed(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const texts = { type: 'string', multiple: true } as const;
  const yes = { type: 'boolean' } as const;
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        ...{
          data: text,
          url: text,
          webhook: text,
          slack: text,
          teams: text,
          to: text,
          since: text,
          until: text,
        },
        ...{ filter: texts, secret: texts, 'per-second': text, 'failures-only': yes, finish: yes },
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** A time, or how long ago it was. */
function timeOf(option: string, value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const ago = parseDuration(value);
  const at = ago === undefined ? Date.parse(value) : now - ago;
  if (Number.isFinite(at)) return at;
  throw new UsageError(`${option} takes a time such as 2026-11-21T09:00:00Z, or how long ago: 30m, 2h.`);
}
