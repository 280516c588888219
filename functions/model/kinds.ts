import { isTimeZone } from '../basics/time-zone.ts';
import { areMailAddresses, isMailAddress } from './mail.ts';
import { isDigest, isQuiet, isWindow } from './windows.ts';

/** What the configuration, the commands, the console and the delivery know of a kind of endpoint. How events become its
 *  requests is in `delivery/kinds.ts`. */
interface Kind {
  readonly title: string;
  /** The receiver, in words that follow "to" or stand alone. */
  readonly what: string;
  /** An address, as an example. */
  readonly example: string;
  /** The header that its requests need, with an example. Its value is secret. */
  readonly needs?: { readonly header: string; readonly example: string; readonly form: RegExp };
  /** Whether its requests are signed: then its secret holds signing secrets beside the address. */
  readonly isSigned: boolean;
  /** Its events wait until a consumer takes them: it has no address, and nothing is sent. */
  readonly isPulled?: true;
  /** Its address is a mail server or SES, and its messages are mails. */
  readonly isMail?: true;
  /** The queue of its deliveries. `chat`: one message shows several events, and one message is sent at a time. */
  readonly queue: 'deliveries' | 'chat';
  /** Requests a second by default: at first, and at most, as long as it accepts all of them. */
  readonly rate: { readonly first: number; readonly most: number };
  /** The settings that only endpoints of this kind have. */
  readonly settings?: Readonly<Record<string, KindSetting>>;
  /** An endpoint of the kind has one of these settings. */
  readonly needsOneOf?: readonly string[];
}

interface KindSetting {
  readonly what: string;
  /** Words before its value, where an endpoint is described. */
  readonly words?: string;
  /** The values that it may have. Without these, `range` and `form`: 1 to 64 letters, digits, "-" and "_". */
  readonly choices?: readonly string[];
  /** Which texts it may have, in words, with an example. */
  readonly form?: {
    readonly allowed: string;
    readonly example: string;
    readonly has: (text: string) => boolean;
  };
  /** An endpoint of the kind can't be without it. */
  readonly isRequired?: true;
  /** The least and the greatest value of a whole number. */
  readonly range?: readonly [number, number];
  /** Another setting of the kind, which stands for this one, too. */
  readonly notBeside?: string;
  /** Another setting of the kind, without which this one has no effect. */
  readonly onlyBeside?: string;
}

const SIGNED = { isSigned: true, queue: 'deliveries', rate: { first: 10, most: 100 } } as const;
const CHAT = { isSigned: false, queue: 'chat', rate: { first: 1, most: 1 } } as const;
const CHAT_SETTINGS = {
  locale: {
    what: 'language and region of dates and numbers',
    words: 'locale',
    form: { allowed: 'a language tag, such as "de-DE" or "en-GB"', example: 'de-DE', has: isLocale },
  },
  timeZone: {
    what: 'time zone of times',
    words: 'time zone',
    form: { allowed: 'a time zone, such as "Europe/Berlin"', example: 'Europe/Berlin', has: isNamedZone },
    onlyBeside: 'locale',
  },
  window: {
    what: 'one message at once, then one with all changes in this time',
    words: 'a window of',
    form: { allowed: 'a duration from "1m" to "24h"', example: '15m', has: isWindow },
    notBeside: 'digest',
  },
  digest: {
    what: 'all changes in one message at this time',
    words: 'a digest at',
    form: {
      allowed:
        'a time of day with a time zone, after days if not daily, such as "mon-fri 08:00 Europe/Berlin"',
      example: 'mon-fri 08:00 Europe/Berlin',
      has: isDigest,
    },
  },
  quiet: {
    what: 'no changes in these hours',
    words: 'quiet hours',
    form: {
      allowed:
        'two times of day with a time zone, after days if not daily, such as "22:00-07:00 Europe/Berlin"; not always',
      example: '22:00-07:00 Europe/Berlin',
      has: isQuiet,
    },
    notBeside: 'digest',
  },
} as const satisfies Kind['settings'];

const ENDPOINT_KINDS = {
  webhook: {
    ...SIGNED,
    title: 'Webhook',
    what: 'your own HTTP endpoint, signed by Standard Webhooks',
    example: 'https://example.com/changes',
    settings: {
      batch: {
        what: 'maximum events in one request, as a CloudEvents batch',
        words: 'batches of',
        range: [2, 100],
      },
    },
  },
  slack: {
    ...CHAT,
    title: 'Slack',
    what: 'a Slack channel, by its incoming webhook',
    example: 'https://hooks.slack.com/services/…',
    settings: CHAT_SETTINGS,
  },
  'slack-app': {
    ...CHAT,
    title: 'Slack app',
    what: 'a Slack channel, by a bot token, with a thread per project',
    example: 'https://slack.com/api/chat.postMessage',
    needs: { header: 'Authorization', example: 'Bearer xoxb-…', form: /^Bearer \S+$/ },
    settings: {
      channel: {
        what: 'the channel',
        words: 'channel',
        form: {
          allowed: 'the id of a channel, such as "C0123ABCD", or its name, such as "#launches"',
          example: 'C0123ABCD',
          has: text => /^(?:[CDG][A-Z0-9]{2,31}|#[^\s#@<>]{1,80})$/.test(text),
        },
        isRequired: true,
      },
      direct: {
        what: 'who also gets messages about tasks',
        words: 'also to the',
        choices: ['assignee'],
      },
      ...CHAT_SETTINGS,
    },
  },
  teams: {
    ...CHAT,
    title: 'Teams',
    what: 'a Teams channel, by its Workflows webhook',
    example: 'https://….logic.azure.com/workflows/…',
    settings: CHAT_SETTINGS,
  },
  text: {
    ...CHAT,
    title: 'Text',
    what: 'a chat that takes plain text in JSON, such as Discord or ntfy',
    example: 'https://discord.com/api/webhooks/…',
    settings: {
      preset: {
        what: 'the service',
        words: 'for',
        choices: ['google-chat', 'mattermost', 'discord', 'ntfy'],
      },
      field: {
        what: 'the field of the body that holds the text',
        words: 'text in the field',
        notBeside: 'preset',
      },
      titleHeader: {
        what: 'the header that holds the title',
        words: 'title in the header',
        notBeside: 'preset',
      },
      ...CHAT_SETTINGS,
    },
  },
  email: {
    ...CHAT,
    isMail: true,
    title: 'E-mail',
    what: 'e-mail addresses, by SMTP or SES; with a window or digest',
    example: 'smtps://user:password@smtp.example.com:465',
    settings: {
      from: {
        what: "the sender's address",
        form: {
          allowed: 'an e-mail address, such as "changes@example.com"',
          example: 'changes@example.com',
          has: isMailAddress,
        },
        isRequired: true,
      },
      to: {
        what: 'up to 50 addresses',
        form: {
          allowed:
            '1 to 50 different e-mail addresses with commas, such as "ann@example.com, team@example.com"',
          example: 'ann@example.com, team@example.com',
          has: areMailAddresses,
        },
        isRequired: true,
      },
      ...CHAT_SETTINGS,
    },
    needsOneOf: ['digest', 'window'],
  },
  pull: {
    ...SIGNED,
    isSigned: false,
    isPulled: true,
    title: 'Pull',
    what: 'your own consumer, which takes events when it is ready; nothing listens',
    example: '',
  },
} as const satisfies Readonly<Record<string, Kind>>;

/** The kinds of endpoints; docs/configuration.md#endpoints lists them. */
export type EndpointKind = keyof typeof ENDPOINT_KINDS;

export const KINDS: Readonly<Record<EndpointKind, Kind>> = ENDPOINT_KINDS;

/** Whether a consumer takes the events of these endpoints. */
export function isPulled({ kind }: { readonly kind: EndpointKind }): boolean {
  return KINDS[kind].isPulled === true;
}

export const KIND_NAMES = Object.keys(ENDPOINT_KINDS) as readonly EndpointKind[];

/** The name of a setting that only endpoints of some kinds have. */
export type KindSettingName = {
  [Name in EndpointKind]: (typeof ENDPOINT_KINDS)[Name] extends { readonly settings: infer Settings }
    ? keyof Settings
    : never;
}[EndpointKind];

/** The settings that only endpoints of some kinds have; docs/configuration.md#endpoints lists them. */
export type KindSettings = {
  readonly [Name in KindSettingName]?: (Name extends 'batch' ? number : string) | undefined;
};

/** These settings, each with its kinds. Kinds share a setting as a whole. */
export const KIND_SETTINGS = [
  ...Map.groupBy(
    KIND_NAMES.flatMap(kind =>
      Object.entries(KINDS[kind].settings ?? {}).map(([name, setting]) => ({ name, kind, setting })),
    ),
    ({ name }) => name as KindSettingName,
  ),
].map(([name, uses]) => ({
  ...{ name, kinds: uses.map(({ kind }) => kind) },
  ...(uses[0]?.setting as KindSetting),
}));

/** One property for each of these settings, made by `make`. */
export function bySetting<Text, Whole>(make: {
  readonly text: (setting: (typeof KIND_SETTINGS)[number]) => Text;
  readonly whole: (setting: (typeof KIND_SETTINGS)[number], range: readonly [number, number]) => Whole;
}): { readonly [Name in KindSettingName]: NonNullable<KindSettings[Name]> extends number ? Whole : Text } {
  const made = KIND_SETTINGS.map(setting => {
    const { name, range } = setting;
    return [name, range ? make.whole(setting, range) : make.text(setting)];
  });
  return Object.fromEntries(made);
}

function isLocale(text: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(text).length > 0;
  } catch {
    return false;
  }
}

/** An offset has no summer time. */
function isNamedZone(text: string): boolean {
  return /^[A-Za-z]/.test(text) && isTimeZone(text);
}

/** Those of these settings that an endpoint has. */
export function kindSettingsOf(settings: KindSettings): KindSettings {
  return Object.fromEntries(
    KIND_SETTINGS.flatMap(({ name }) => (settings[name] === undefined ? [] : [[name, settings[name]]])),
  );
}

/** The same in words, such as `a digest at 08:00 Europe/Berlin`; without addresses of people. */
export function kindSettingsText(settings: KindSettings): string[] {
  return KIND_SETTINGS.flatMap(({ name, words }) =>
    settings[name] === undefined || words === undefined ? [] : [`${words} ${settings[name]}`],
  );
}
