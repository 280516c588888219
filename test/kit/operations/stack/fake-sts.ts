import { createServer, type IncomingMessage, type Server } from 'node:http';
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import { listenInTest } from '../../listen-in-test.ts';

export const REGION = 'eu-central-1';
export const CREDENTIALS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' };
export const ARN = 'arn:aws:sts::123456789012:assumed-role/Operator/anna@example.com';

export interface Sts {
  readonly server: Server;
  readonly url: URL;
  /** Requests so far. */
  readonly asked: number;
  /** Sets the answer to every request from now on. */
  answer(status: number, text: string): void;
}

/** A server that checks signatures as STS does, and knows one key. */
export async function startSts(): Promise<Sts> {
  let always: { status: number; text: string } | undefined;
  let asked = 0;
  const server = createServer(async (incoming, outgoing) => {
    asked += 1;
    const { status, text } = always ?? (await judge(incoming));
    outgoing.writeHead(status, { 'content-type': 'text/xml' }).end(text);
  });
  const { url } = await listenInTest(server);
  return {
    server,
    url: new URL(url),
    get asked() {
      return asked;
    },
    answer: (status, text) => {
      always = { status, text };
    },
  };
}

const refusal = (code: string) => ({
  status: 403,
  text: `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code></Error></ErrorResponse>`,
});

async function judge(incoming: IncomingMessage): Promise<{ status: number; text: string }> {
  const { authorization = '', ...headers } = incoming.headers as Record<string, string>;
  const [, names = ''] = /SignedHeaders=([^,]*)/.exec(authorization) ?? [];
  const body = (await incoming.toArray()).join('');
  const date = String(headers['x-amz-date']);
  const signer = new SignatureV4({
    ...{ credentials: CREDENTIALS, region: REGION, service: 'sts', sha256: Sha256, applyChecksum: false },
  });
  const signed = await signer.sign(
    {
      ...{ method: incoming.method ?? '', protocol: 'https:', path: incoming.url ?? '', query: {}, body },
      hostname: String(headers.host),
      headers: Object.fromEntries(names.split(';').map(name => [name, String(headers[name])])),
    },
    { signingDate: new Date(date.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z')) },
  );
  if (signed.headers.authorization !== authorization) return refusal('SignatureDoesNotMatch');
  if (!headers.host?.startsWith('sts.') || body !== 'Action=GetCallerIdentity&Version=2011-06-15')
    return refusal('AccessDenied');
  const result = `<GetCallerIdentityResult><Arn>${ARN}</Arn><UserId>U</UserId><Account>123456789012</Account></GetCallerIdentityResult>`;
  return { status: 200, text: `<GetCallerIdentityResponse>${result}</GetCallerIdentityResponse>` };
}
