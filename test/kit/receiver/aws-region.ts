import { generateKeyPairSync } from 'node:crypto';
import https from 'node:https';
import { generate } from 'selfsigned';
import { Agent, buildConnector, getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { onTestFinished } from 'vitest';
import { type MessageType, signed } from '../../../local/sns/messages.ts';
import { listenInTest } from '../listen-in-test.ts';
import type { Posted } from './requests.ts';

export const REGION = 'eu-west-1';
export const TOPIC_ARN = `arn:aws:sns:${REGION}:123456789012:changes`;
const HOST = `sns.${REGION}.amazonaws.com`;

/** SNS in a region of AWS, as far as receivers meet it: by HTTPS, under its own name. */
export interface AwsRegion {
  /** `https://sns.<region>.amazonaws.com`. */
  readonly url: string;
  /** Each request that it got, as its path. */
  readonly asked: string[];
  /** The status that it answers from now on: with the certificate, or with an error page. */
  status: number;
  /** The address of a certificate that nobody asked for before. */
  newCertificateUrl(): string;
  /** A message as it signs them. */
  message(fields: Fields): Promise<Posted>;
}

type Fields = Readonly<Record<string, string | undefined>>;

/** Made once: a key takes longer than all else. */
let made: ReturnType<typeof make> | undefined;

async function make() {
  const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const asPem = { type: 'spki', format: 'pem' } as const;
  const privateKey = keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const { cert } = await generate([{ name: 'commonName', value: HOST }], {
    keyPair: { privateKey, publicKey: keys.publicKey.export(asPem).toString() },
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: 2 as const, value: HOST }] },
    ],
  });
  return { privateKey, cert };
}

/** Whatever the process fetches leads to it until the end of the test. */
export async function awsRegion(): Promise<AwsRegion> {
  made ??= make();
  const { privateKey, cert } = await made;
  const asked: string[] = [];
  const server = https.createServer({ key: privateKey, cert }, (request, response) => {
    asked.push(request.url ?? '');
    // Who follows a redirection finds what it looks for: it must not.
    const status = request.url === '/elsewhere' ? 200 : region.status;
    response.writeHead(status, { location: '/elsewhere' });
    response.end(status === 200 ? cert : '<html>Not now</html>');
  });
  const { port } = await listenInTest(server);
  leadTo(port, cert);

  const url = `https://${HOST}`;
  const newCertificateUrl = () => {
    const name = Array.from({ length: 32 }, () => Math.floor(Math.random() * 16).toString(16)).join('');
    return `${url}/SimpleNotificationService-${name}.pem`;
  };
  const region: AwsRegion = {
    url,
    asked,
    status: 200,
    newCertificateUrl,
    async message({ SigningCertURL = newCertificateUrl(), ...fields }) {
      const Type = (fields.Type ?? 'Notification') as MessageType;
      const envelope = await signed(
        {
          MessageId: '1',
          TopicArn: TOPIC_ARN,
          Timestamp: new Date().toISOString(),
          Message: '',
          ...fields,
          Type,
        },
        privateKey,
      );
      return {
        body: JSON.stringify({ ...envelope, SigningCertURL }),
        headers: { 'x-amz-sns-message-type': Type, 'content-type': 'text/plain; charset=UTF-8' },
      };
    },
  };
  return region;
}

/** Has the web's fetch connect to `port`. */
function leadTo(port: number, ca: string): void {
  const dispatcher = getGlobalDispatcher();
  const connector = buildConnector({ ca });
  const agent = new Agent({
    connect: (options, connected) =>
      connector(
        { ...options, hostname: '127.0.0.1', port: String(port), servername: options.hostname },
        connected,
      ),
  });
  setGlobalDispatcher(agent);
  onTestFinished(async () => {
    setGlobalDispatcher(dispatcher);
    await agent.destroy();
  });
}
