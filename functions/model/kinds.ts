/** What the configuration, the commands, the console and the delivery know of a kind of endpoint. How events become its
 *  requests is in `delivery/kinds.ts`. */
interface Kind {
  readonly title: string;
  /** The receiver, in words that follow "to" or stand alone. */
  readonly what: string;
  /** An address, as an example. */
  readonly example: string;
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
  /** Of each of these lists, an endpoint has at least one setting. */
  readonly needs?: readonly (readonly string[])[];
}

interface KindSetting {
  readonly what: string;
  /** The values that it may have. Without these and `range`: 1 to 64 letters, digits, "-" and "_". */
  readonly choices?: readonly string[];
  /** The least and the greatest value of a whole number. */
  readonly range?: readonly [number, number];
  /** An example, of a text that has a form of its own (`model/windows.ts`, `model/mail.ts`). */
  readonly example?: string;
  /** Of a text; 64 by default. */
  readonly maxLength?: number;
  /** Another setting of the kind, which stands for this one, too. */
  readonly notBeside?: string;
}

const SIGNED = { isSigned: true, queue: 'deliveries', rate: { first: 10, most: 100 } } as const;
const CHAT = { isSigned: false, queue: 'chat', rate: { first: 1, most: 1 } } as const;
/** The settings of all chats. */
const WINDOWS = {
  window: {
    what: 'one message at once, then one with all changes in this time',
    example: '15m',
    notBeside: 'digest',
  },
  digest: { what: 'all changes in one message at this time', example: 'mon-fri 08:00 Europe/Berlin' },
  quiet: { what: 'no changes in these hours', example: '22:00-07:00 Europe/Berlin', notBeside: 'digest' },
} as const;

const ENDPOINT_KINDS = {
  webhook: {
    ...SIGNED,
    title: 'Webhook',
    what: 'your own HTTP endpoint, signed by Standard Webhooks',
    example: 'https://example.com/changes',
    settings: {
      batch: {
        what: 'maximum events in one request, as a CloudEvents batch',
        range: [2, 100],
      },
    },
  },
  slack: {
    ...CHAT,
    title: 'Slack',
    what: 'a Slack channel, by its incoming webhook',
    example: 'https://hooks.slack.com/services/…',
    settings: WINDOWS,
  },
  teams: {
    ...CHAT,
    title: 'Teams',
    what: 'a Teams channel, by its Workflows webhook',
    example: 'https://….logic.azure.com/workflows/…',
    settings: WINDOWS,
  },
  text: {
    ...CHAT,
    title: 'Text',
    what: 'a chat that takes plain text in JSON, such as Discord or ntfy',
    example: 'https://discord.com/api/webhooks/…',
    settings: {
      ...WINDOWS,
      preset: { what: 'the service', choices: ['google-chat', 'mattermost', 'discord', 'ntfy'] },
      field: { what: 'the field of the body that holds the text', notBeside: 'preset' },
      titleHeader: { what: 'the header that holds the title', notBeside: 'preset' },
    },
  },
  email: {
    ...CHAT,
    isMail: true,
    title: 'E-mail',
    what: 'e-mail addresses, by SMTP or SES; with a window or digest',
    example: 'smtps://user:password@smtp.example.com:465',
    settings: {
      from: { what: "the sender's address", example: 'changes@example.com', maxLength: 254 },
      to: {
        what: 'up to 50 addresses',
        example: 'ann@example.com, team@example.com',
        maxLength: 13_000,
      },
      ...WINDOWS,
    },
    needs: [['from'], ['to'], ['digest', 'window']],
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

/** These settings, each with its kinds. */
export const KIND_SETTINGS = [
  ...new Set(KIND_NAMES.flatMap(kind => Object.keys(KINDS[kind].settings ?? {}))),
].map(name => {
  const kinds = KIND_NAMES.filter(kind => Object.hasOwn(KINDS[kind].settings ?? {}, name));
  const setting = KINDS[kinds[0] as EndpointKind].settings?.[name] as KindSetting;
  return { name: name as KindSettingName, kinds, ...setting };
});

/** The kinds that have a setting, in words: `a chat`, or what `inWords` makes of their names. */
export function kindsOf(
  { kinds }: (typeof KIND_SETTINGS)[number],
  inWords: (kind: EndpointKind) => string,
): string {
  const isOfChats = KIND_NAMES.every(kind => kinds.includes(kind) === (KINDS[kind].queue === 'chat'));
  return isOfChats ? 'a chat' : kinds.map(inWords).join(', ');
}

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

/** Those of these settings that an endpoint has. */
export function kindSettingsOf(settings: KindSettings): KindSettings {
  return Object.fromEntries(
    KIND_SETTINGS.flatMap(({ name }) => (settings[name] === undefined ? [] : [[name, settings[name]]])),
  );
}
