/** A mail as the formatter makes it. */
export interface Mail {
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Derived from all else: a mail that is sent again has the same. */
  readonly messageId: string;
}

const MAX_RECIPIENTS = 50;
const MAX_ADDRESS_LENGTH = 254;
/** A plain address: no displayed name, no quotes, nothing that could end a header or begin another recipient. */
const ADDRESS =
  /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-][A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{0,63}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*$/;

/** What the settings of mails may be, for people; undefined for a text that is right. */
export const MAIL_PROBLEMS: Readonly<Record<'from' | 'to', (text: string) => string | undefined>> = {
  from: text => (isAddress(text) ? undefined : 'an e-mail address, such as "changes@example.com"'),
  to: text => {
    const all = addressesIn(text);
    const isRight = all.every(isAddress) && all.length <= MAX_RECIPIENTS && new Set(all).size === all.length;
    return isRight
      ? undefined
      : `1 to ${MAX_RECIPIENTS} different e-mail addresses with commas, such as "ann@example.com, team@example.com"`;
  },
};

/** The addresses in a text with commas. */
export function addressesIn(text: string): string[] {
  return text.split(',').map(address => address.trim());
}

function isAddress(text: string): boolean {
  return text.length <= MAX_ADDRESS_LENGTH && ADDRESS.test(text);
}

/** Where mails go: a mail server, or SES. */
export type MailRoute =
  | {
      readonly by: 'smtp';
      readonly host: string;
      readonly port: number;
      /** Whether the connection begins with TLS; otherwise it is upgraded. */
      readonly isSecure: boolean;
      readonly login: { readonly user: string; readonly pass: string } | undefined;
    }
  | { readonly by: 'ses' };

const PORTS: Readonly<Record<string, number>> = { 'smtp:': 587, 'smtps:': 465 };

/** Reads `smtps://user:password@host:465`, `smtp://host:587` or `ses:`; undefined for anything else. */
export function mailRouteIn(text: string): MailRoute | undefined {
  const url = URL.parse(text);
  if (url?.search !== '' || url.hash !== '' || !/^\/?$/.test(url.pathname)) return undefined;
  const { protocol, hostname, port, username, password } = url;
  if (protocol === 'ses:') return url.href === 'ses:' ? { by: 'ses' } : undefined;
  const standard = PORTS[protocol];
  const [user, pass] = [decoded(username), decoded(password)];
  if (standard === undefined || user === undefined || pass === undefined) return undefined;
  if (!/^[A-Za-z0-9.-]+$|^\[[0-9A-Fa-f:.]+\]$/.test(hostname) || (user === '') !== (pass === ''))
    return undefined;
  return {
    ...{ by: 'smtp', host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || standard) },
    ...{ isSecure: protocol === 'smtps:', login: user === '' ? undefined : { user, pass } },
  };
}

/** Undefined for what is not percent-encoded, and for control characters. */
function decoded(text: string): string | undefined {
  try {
    const plain = decodeURIComponent(text);
    return /\p{Cc}/u.test(plain) ? undefined : plain;
  } catch {
    return undefined;
  }
}
