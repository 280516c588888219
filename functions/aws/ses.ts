import type { SendBySes } from '../delivery/email/send-mail.ts';
import { bounded, CALL_TIMEOUTS } from './clients.ts';

const SLOWED = /Throttl|TooManyRequests|LimitExceeded/;
const VERIFY =
  'SES refused the mail: verify the identity of "from" there, and in its sandbox that of each address in "to"';
const REMEDIES: Readonly<Record<string, string>> = {
  AccessDeniedException:
    'the stack may not send from this address: add its identity to "emailIdentities", and deploy',
  MessageRejected: VERIFY,
  MailFromDomainNotVerifiedException: VERIFY,
  NotFoundException: VERIFY,
  AccountSuspendedException: 'SES has suspended the account: see its console',
  SendingPausedException: 'SES has paused the account: see its console',
};

/** Sends mails by the API of SES, with the permissions of the function. SES gives each mail a Message-ID of its own. */
export const sendBySes: SendBySes = async (mail, signal) => {
  // Loaded here: most stacks send no mail.
  const { SESv2Client, SendEmailCommand } = await import('@aws-sdk/client-sesv2');
  const client = new SESv2Client(bounded(CALL_TIMEOUTS.ses));
  const text = (Data: string) => ({ Data, Charset: 'UTF-8' });
  const command = new SendEmailCommand({
    FromEmailAddress: `Changewire <${mail.from}>`,
    Destination: { ToAddresses: [...mail.to] },
    Content: {
      Simple: {
        Subject: text(mail.subject),
        Body: { Text: text(mail.text), Html: text(mail.html) },
        Headers: [{ Name: 'Auto-Submitted', Value: 'auto-generated' }],
      },
    },
  });
  try {
    const { MessageId = '' } = await client.send(command, { abortSignal: signal });
    return { status: 200, text: MessageId };
  } catch (error) {
    const { name, message, $metadata } = error as Error & { $metadata?: { httpStatusCode?: number } };
    const status = $metadata?.httpStatusCode;
    if (status === undefined) throw error;
    const isTemporary = status >= 500 || status === 429 || SLOWED.test(name);
    const reason = isTemporary ? 'SES asks to try again later' : (REMEDIES[name] ?? 'SES refused the mail');
    return { status, text: `${name}: ${message}`, refusal: { reason, isTemporary } };
  } finally {
    client.destroy();
  }
};
