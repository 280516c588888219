import { isIP, connect as openSocket, type Socket } from 'node:net';
import type { Clock } from '../../basics/clock.ts';
import type { Networks } from '../../basics/networks.ts';
import { type Resolve, tunnelTo } from '../../basics/proxy.ts';
import { type Mail, type MailRoute, mailRouteIn } from '../../model/mail.ts';
import { addressRefusal, SES_ON_AWS } from '../http/addresses.ts';
import { checkedLookup, RefusedAddress } from '../http/guarded-agent.ts';
import type { Answer, PosterOptions } from '../http/post.ts';

/** Sends a mail by SES. Rejects when there is no answer. */
export type SendBySes = (mail: Mail, signal: AbortSignal) => Promise<MailAnswer>;

interface Options extends Omit<Connection, 'signal'> {
  /** On AWS. */
  readonly sendBySes?: SendBySes | undefined;
  readonly clock: Clock;
}

/** Sends mails, each the JSON of a `Mail`. */
export function mailSender(options: Options): NonNullable<PosterOptions['sendMail']> {
  return async (url, body, signal) => {
    const mail = JSON.parse(body) as Mail;
    const { status, text, refusal } = await send(mail, mailRouteIn(url) as MailRoute, { ...options, signal });
    return {
      ...{ status, at: options.clock(), retryAfter: undefined, date: undefined, mail: refusal },
      body: withoutAddresses(text),
    };
  };
}

function send(mail: Mail, route: MailRoute, options: Options & Connection): Promise<MailAnswer> {
  if (route.by === 'smtp') return sendBySmtp(mail, route, options);
  if (options.sendBySes) return options.sendBySes(mail, options.signal);
  throw new RefusedAddress(SES_ON_AWS);
}

const MAX_ANSWER_LENGTH = 1024;

/** The beginning of an answer. Answers often repeat recipients, which are personal data. */
function withoutAddresses(text: string): string {
  return text
    .replace(/[^\s<>"'(),;:]+/g, word => (/.@./.test(word) ? '(address)' : word))
    .slice(0, MAX_ANSWER_LENGTH);
}

/** What a server answers, before it is cleaned. */
interface MailAnswer {
  readonly status: number;
  readonly text: string;
  /** Undefined: it took the mail. */
  readonly refusal?: Answer['mail'];
}

interface Connection {
  readonly allowLoopback: boolean;
  readonly networks?: Networks | undefined;
  readonly proxy?: string | undefined;
  readonly resolve: Resolve;
  /** ms for the connection, and for the greeting. */
  readonly timeout: number;
  readonly signal: AbortSignal;
}

type SmtpRoute = Extract<MailRoute, { by: 'smtp' }>;

/** Sends one mail over a connection of its own, to an allowed address (`addressRefusal`). It is encrypted, except to
 *  this machine and the networks of the configuration, where it is if the server offers that.
 *  Rejects when there is no answer, or no connection that may be used. */
async function sendBySmtp(mail: Mail, route: SmtpRoute, connection: Connection): Promise<MailAnswer> {
  // Loaded here: most installations send no mail.
  const [{ default: SMTPConnection }, { default: MailComposer }] = await Promise.all([
    import('nodemailer/lib/smtp-connection'),
    import('nodemailer/lib/mail-composer'),
  ]);
  const { from, to, messageId, subject, text, html } = mail;
  const message = await new MailComposer({
    ...{ from: { name: 'Changewire', address: from }, to: [...to], messageId, subject, text, html },
    // Programs that answer mails do not answer these.
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
    ...{ disableFileAccess: true, disableUrlAccess: true, newline: '\r\n' },
  })
    .compile()
    .build();
  const { socket, isPlainAllowed } = await connect(route, connection);
  // A tunnel may open after the time-out.
  if (connection.signal.aborted) {
    socket.destroy();
    throw connection.signal.reason;
  }
  const { host, port, isSecure, login } = route;
  const smtp = new SMTPConnection({
    ...{ connection: socket, host, port, secure: isSecure, requireTLS: !isPlainAllowed },
    ...(isPlainAllowed && { tls: { rejectUnauthorized: false } }),
    ...{ connectionTimeout: connection.timeout, greetingTimeout: connection.timeout },
  });
  const { promise, resolve, reject } = Promise.withResolvers<MailAnswer>();
  const failed = (error: SmtpError) => {
    const refused = refusalOf(error);
    if (refused) resolve(refused);
    else reject(Object.assign(error, { code: error.originalCode ?? error.code }));
  };
  const send = () =>
    smtp.send({ from, to: [...to] }, message, (error, info) => {
      if (error) failed(error);
      else resolve({ status: statusIn(info.response), text: accepted(info) });
    });
  const abort = () => reject(connection.signal.reason);
  connection.signal.addEventListener('abort', abort, { once: true });
  smtp.once('error', failed);
  smtp.once('end', () => reject(Object.assign(new Error(), { code: 'ECONNRESET' })));
  smtp.connect(error => {
    if (error) failed(error);
    else if (login) smtp.login({ credentials: login }, refused => (refused ? failed(refused) : send()));
    else send();
  });
  try {
    return await promise;
  } finally {
    connection.signal.removeEventListener('abort', abort);
    smtp.on('error', () => undefined);
    smtp.quit();
    socket.destroySoon();
  }
}

/** Opens a connection to the server, whose addresses are checked in the look-up that connects. */
async function connect(
  { host, port }: SmtpRoute,
  { allowLoopback, networks = [], proxy, resolve, timeout, signal }: Connection,
): Promise<{ readonly socket: Socket; readonly isPlainAllowed: boolean }> {
  let isPlainAllowed = true;
  const check = (address: string) => {
    const policy = { hostname: host, allowLoopback, networks };
    const refusal = addressRefusal(address, { ...policy, protocol: 'https:' });
    if (refusal !== undefined) throw new RefusedAddress(refusal);
    isPlainAllowed &&= addressRefusal(address, { ...policy, protocol: 'http:' }) === undefined;
  };
  if (proxy !== undefined) {
    const target = { hostname: host, port: String(port) };
    const tunnel = await tunnelTo(target, { url: proxy, networks, resolve, timeout, check });
    if (tunnel) return { socket: tunnel, isPlainAllowed: false };
  }
  if (isIP(host) !== 0) check(host);
  const { promise, resolve: opened, reject } = Promise.withResolvers<void>();
  const socket = openSocket({ host, port, lookup: checkedLookup(resolve, check), signal }, opened);
  socket.once('error', reject);
  await promise;
  socket.off('error', reject);
  return { socket, isPlainAllowed };
}

interface SmtpError extends Error {
  readonly code?: string | undefined;
  /** Of the system. */
  readonly originalCode?: string | undefined;
  readonly command?: string | undefined;
  readonly responseCode?: number | undefined;
  readonly response?: string | undefined;
}

const REFUSED: Readonly<Record<string, string>> = {
  login: 'the mail server refused user name or password: correct the url in its secret',
  'MAIL FROM': 'the mail server refused the sender: correct "from", or the user in the url in its secret',
  'RCPT TO': 'the mail server refused the recipients: correct "to"',
};
const LATER = 'the mail server asks to try again later';

/** What the server answered in place of taking the mail; undefined when it did not answer. */
function refusalOf({
  code,
  command = '',
  responseCode: status,
  response = '',
}: SmtpError): MailAnswer | undefined {
  if (code === 'ETLS' || status === undefined || status < 400) return undefined;
  const isTemporary = status < 500;
  const stage = code === 'EAUTH' || status === 530 ? 'login' : command;
  const reason = isTemporary ? LATER : (REFUSED[stage] ?? 'the mail server refused the mail');
  return { status, text: response, refusal: { reason, isTemporary } };
}

function statusIn(response: string | undefined): number {
  return Number(/^\d{3}/.exec(response ?? '')?.[0] ?? 250);
}

/** The server's answer; before it, how many recipients it refused: the others got the mail, which is not repeated. */
function accepted({ response = '', rejected = [], rejectedErrors = [] }: Accepted): string {
  if (rejected.length === 0) return response;
  const [first] = rejectedErrors;
  const refused =
    rejected.length === 1 ? '1 of the recipients was' : `${rejected.length} of the recipients were`;
  return `${refused} refused: ${first?.response ?? ''}`;
}

interface Accepted {
  readonly response?: string | undefined;
  readonly rejected?: readonly unknown[] | undefined;
  readonly rejectedErrors?: readonly SmtpError[] | undefined;
}
