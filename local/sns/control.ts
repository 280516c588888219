import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { listenLocally } from '../basics/listener.ts';
import type { Certificate } from './signing-key.ts';

/** What the URLs inside messages do. `undefined` means that there is no such subscription. */
export interface ControlActions {
  /** Resolves with the subscription's ARN. */
  confirm(topicArn: string, token: string): Promise<string | undefined>;
  unsubscribe(subscriptionArn: string): Promise<boolean>;
}

/** The HTTP server behind SubscribeURL, UnsubscribeURL and SigningCertURL. */
export interface Control {
  readonly signingCertUrl: string;
  subscribeUrl(topicArn: string, token: string): string;
  unsubscribeUrl(subscriptionArn: string): string;
  close(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** Listens on 127.0.0.1, on a free port. */
export async function startControl(certificate: Certificate, actions: ControlActions): Promise<Control> {
  const certificatePath = `/${certificate.name}`;
  const answerTo = async ({ method, headers, socket, url }: IncomingMessage): Promise<Answer> => {
    const host = `127.0.0.1:${socket.localPort}`;
    if (headers.host !== host) return failure(403, 'AccessDenied', `The host is ${host}.`);
    const target = url?.startsWith('/') ? URL.parse(`http://${host}${url}`) : null;
    if (!target) return failure(400, 'InvalidAction', 'The request target is not a path.');
    if (method !== 'GET') return failure(405, 'InvalidAction', 'Use GET.');
    if (target.pathname !== certificatePath) return perform(target.searchParams, actions);
    return { status: 200, type: 'application/x-pem-file', body: await certificate.pem() };
  };
  const { url: base, stop } = await listenLocally(0, async (request, response) => {
    const failed = () => failure(500, 'InternalError', 'The action failed; try again.');
    send(response, await answerTo(request).catch(failed));
  });
  const address = (query: Record<string, string>) => `${base}/?${new URLSearchParams(query)}`;
  return {
    signingCertUrl: `${base}${certificatePath}`,
    subscribeUrl: (TopicArn, Token) => address({ Action: 'ConfirmSubscription', TopicArn, Token }),
    unsubscribeUrl: SubscriptionArn => address({ Action: 'Unsubscribe', SubscriptionArn }),
    close: stop,
  };
}

async function perform(query: URLSearchParams, actions: ControlActions): Promise<Answer> {
  const action = query.get('Action');
  if (action === 'ConfirmSubscription') {
    const arn = await actions.confirm(query.get('TopicArn') ?? '', query.get('Token') ?? '');
    if (arn === undefined) return failure(400, 'InvalidParameter', 'Invalid parameter: Token');
    return success(
      action,
      `<ConfirmSubscriptionResult><SubscriptionArn>${arn}</SubscriptionArn></ConfirmSubscriptionResult>`,
    );
  }
  if (action === 'Unsubscribe') {
    const known = await actions.unsubscribe(query.get('SubscriptionArn') ?? '');
    return known ? success(action, '') : failure(404, 'NotFound', 'Subscription does not exist');
  }
  return failure(400, 'InvalidAction', 'The action is neither ConfirmSubscription nor Unsubscribe.');
}

function success(action: string, result: string): Answer {
  return xml(
    200,
    `${action}Response`,
    `${result}<ResponseMetadata><RequestId>${randomUUID()}</RequestId></ResponseMetadata>`,
  );
}

function failure(status: number, code: string, message: string): Answer {
  const error = `<Error><Type>${status < 500 ? 'Sender' : 'Receiver'}</Type><Code>${code}</Code><Message>${message}</Message></Error>`;
  return xml(status, 'ErrorResponse', `${error}<RequestId>${randomUUID()}</RequestId>`);
}

function xml(status: number, element: string, content: string): Answer {
  const body = `<${element} xmlns="http://sns.amazonaws.com/doc/2010-03-31/">${content}</${element}>\n`;
  return { status, type: 'text/xml', body };
}

function send(response: ServerResponse, { status, type, body }: Answer): void {
  response.writeHead(status, { 'content-type': type }).end(body);
}
