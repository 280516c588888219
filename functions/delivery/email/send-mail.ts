import type { Clock } from '../../basics/clock.ts';
import { type Mail, type MailRoute, mailRouteIn } from '../../model/mail.ts';
import { SES_ON_AWS } from '../http/addresses.ts';
import { RefusedAddress } from '../http/guarded-agent.ts';
import type { PosterOptions } from '../http/post.ts';
import { type Connection, type MailAnswer, sendBySmtp } from './smtp.ts';

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

/** Answers often repeat recipients, which are personal data. */
function withoutAddresses(text: string): string {
  return text.replace(/[^\s<>"'(),;:]+@[^\s<>"'(),;:]+/g, '(address)');
}
