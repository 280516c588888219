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

/** The addresses in a text with commas. */
export function addressesIn(text: string): string[] {
  return text.split(',').map(address => address.trim());
}

export function isMailAddress(text: string): boolean {
  return text.length <= MAX_ADDRESS_LENGTH && ADDRESS.test(text);
}

/** Whether a text has different addresses, and not too many. */
export function areMailAddresses(text: string): boolean {
  const all = addressesIn(text);
  return all.length <= MAX_RECIPIENTS && all.every(isMailAddress) && new Set(all).size === all.length;
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
