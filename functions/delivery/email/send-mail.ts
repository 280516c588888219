import type { Clock } from '../../basics/clock.ts';
import { type Mail, type MailRoute, mailRouteIn } from '../../model/mail.ts';
import { SES_ON_AWS } from '../http/addresses.ts';
import { RefusedAddress } from '../http/guarded-agent.ts';
import type { Answer, MailRefusal } from '../http/post.ts';
import { type Connection, sendBySmtp } from './smtp.ts';

/** What a server answers, before it is cleaned. */
export interface MailAnswer {
  readonly status: number;
  readonly text: string;
  /** Undefined: it took the mail. */
  readonly refusal?: MailRefusal | undefined;
}

/** Sends a mail by SES. Rejects when there is no answer. */
export type SendBySes = (
  mail: Mail,
  route: Extract<MailRoute, { by: 'ses' }>,
  signal: AbortSignal,
) => Promise<MailAnswer>;

interface Options extends Connection {
  readonly sendBySes?: SendBySes | undefined;
  readonly clock: Clock;
}

/** Sends one mail, the JSON of a `Mail`, by the server of this URL. Rejects when there is no answer. */
export async function sendMail(url: string, body: string, options: Options): Promise<Answer> {
  const mail = JSON.parse(body) as Mail;
  const { status, text, refusal } = await send(mail, mailRouteIn(url) as MailRoute, options);
  return {
    ...{ status, at: options.clock(), retryAfter: undefined, date: undefined, mail: refusal },
    body: withoutAddresses(text),
  };
}

function send(mail: Mail, route: MailRoute, options: Options): Promise<MailAnswer> {
  if (route.by === 'smtp') return sendBySmtp(mail, route, options);
  if (options.sendBySes) return options.sendBySes(mail, route, options.signal);
  throw new RefusedAddress(SES_ON_AWS);
}

/** Answers often repeat recipients, which are personal data. */
function withoutAddresses(text: string): string {
  return text.replace(/[^\s<>"'(),;:]+@[^\s<>"'(),;:]+/g, '(address)');
}
