import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  type KeyObject,
  randomUUID,
} from 'node:crypto';
import { chmod, mkdir, readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Clock } from '../../functions/basics/clock.ts';
import { writeWhole } from '../../functions/basics/write-whole.ts';
import { listenLocally } from '../basics/listener.ts';

/** The actions of the URLs in messages. `undefined`: unknown subscription. */
export interface ControlActions {
  /** Resolves with the subscription's ARN. */
  confirm(topicArn: string, token: string): Promise<string | undefined>;
  unsubscribe(subscriptionArn: string): Promise<boolean>;
}

/** The HTTP server that answers SubscribeURL, UnsubscribeURL and SigningCertURL. */
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

/** The key that signs messages, and the server that the URLs in them lead to. */
export interface OpenedControl {
  readonly privateKey: KeyObject;
  readonly control: Control;
}

/** Opens them with the key that is kept in `directory`. */
export async function openControl(
  directory: string,
  clock: Clock,
  actions: ControlActions,
): Promise<OpenedControl> {
  const privateKey = await signingKey(directory);
  return { privateKey, control: await startControl(certificateOf(privateKey, clock), actions) };
}

/** Listens on a free port of 127.0.0.1. */
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
    const { status, type, body } = await answerTo(request).catch(failed);
    response.writeHead(status, { 'content-type': type }).end(body);
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

/** The RSA signing key in `<directory>/sns-signing.pem` (mode 0600), which is generated if it is missing. */
export async function signingKey(directory: string): Promise<KeyObject> {
  const path = join(directory, 'sns-signing.pem');
  const kept = await readKey(path);
  if (kept !== undefined) return kept;
  const { privateKey: made } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  await mkdir(directory, { recursive: true, mode: 0o700 });
  writeWhole(path, made.export({ type: 'pkcs8', format: 'pem' }).toString());
  return made;
}

async function readKey(path: string): Promise<KeyObject | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  await chmod(path, 0o600);
  try {
    const key = createPrivateKey(text);
    if (key.asymmetricKeyType === 'rsa') return key;
  } catch {
    // The error is thrown below.
  }
  throw new Error(`${path} does not contain an RSA key. Delete it, and a new key is generated.`);
}

const TEN_YEARS = 10 * 365 * 24 * 3_600_000;
const A_DAY = 24 * 3_600_000;

/** The certificate for verifying signatures, as PEM: self-signed, and generated at the first request, because the
 *  package for it loads hundreds of files. Each process generates another one for the same key. Its name is derived
 *  from the key, so that receivers can cache it. */
export interface Certificate {
  readonly name: string;
  readonly pem: () => Promise<string>;
}

export function certificateOf(privateKey: KeyObject, clock: Clock): Certificate {
  const publicKey = createPublicKey(privateKey);
  const digest = createHash('md5')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex');
  let making: Promise<string> | undefined;
  const make = async () => {
    const { generate } = await import('selfsigned');
    const { cert } = await generate([{ name: 'commonName', value: 'sns.localhost' }], {
      keyPair: {
        privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
        publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      },
      algorithm: 'sha256',
      notBeforeDate: new Date(clock() - A_DAY),
      notAfterDate: new Date(clock() + TEN_YEARS),
    });
    return cert;
  };
  return {
    name: `SimpleNotificationService-${digest}.pem`,
    pem: () => {
      making ??= make();
      return making;
    },
  };
}
