import type { AddressInfo } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { generate } from 'selfsigned';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { onTestFinished } from 'vitest';

/** A mail as a mail client reads it, and how it came. */
export interface Received extends Email {
  readonly recipients: readonly string[];
  readonly isSecure: boolean;
  readonly user: string | undefined;
  readonly raw: string;
}

/** What the server answers at a step; undefined: it goes on. */
export interface MailScript {
  readonly login?: (user: string, password: string) => number | undefined;
  readonly sender?: () => number | undefined;
  readonly recipient?: (address: string) => number | undefined;
  /** Once the mail was read; called with the number of mails before. */
  readonly mail?: (before: number) => number | undefined;
}

let made: ReturnType<typeof generate> | undefined;

function refusal(status: number | undefined, about: string): Error | null {
  return status === undefined
    ? null
    : Object.assign(new Error(`${about} is refused`), { responseCode: status });
}

/** A real mail server on 127.0.0.1 until the end of the test. */
export async function startMailServer(script: MailScript = {}, options: SMTPServerOptions = {}) {
  const received: Received[] = [];
  let mails = 0;
  made ??= generate([{ name: 'commonName', value: 'localhost' }], {
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: ['localhost', 'mail.example'].map(value => ({ type: 2, value })) },
    ],
  });
  const { private: key, cert } = await made;
  const server = new SMTPServer({
    ...{ key, cert, logger: false, authOptional: script.login === undefined },
    onAuth: ({ username = '', password }, _, done) =>
      done(refusal(script.login?.(username, password ?? ''), `password ${password}`), { user: username }),
    onMailFrom: (_, __, done) => done(refusal(script.sender?.(), 'sender')),
    onRcptTo: ({ address = '' }, _, done) =>
      done(refusal(script.recipient?.(String(address)), `<${address}>`)),
    onData: async (stream, session, done) => {
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk as Buffer);
      const raw = Buffer.concat(chunks);
      const status = script.mail?.(mails++);
      if (status === undefined)
        received.push({
          ...(await PostalMime.parse(raw)),
          recipients: session.envelope.rcptTo.map(({ address }) => String(address)),
          isSecure: session.secure,
          user: session.user === undefined ? undefined : String(session.user),
          raw: raw.toString(),
        });
      done(refusal(status, 'mail'));
    },
    ...options,
  });
  server.on('error', () => undefined);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>(resolve => server.close(resolve)));
  return { received, cert, port: (server.server.address() as AddressInfo).port };
}
