import { randomBytes, timingSafeEqual } from 'node:crypto';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { reply } from '../../functions/operations/protocol/reply.ts';
import { isLook } from '../../functions/operations/protocol/requests.ts';
import { Refused } from '../../functions/operations/refused.ts';
import { type Address, proofOf } from '../../local/operate/address.ts';
import { type Connection, Gone } from './connection.ts';

const DOUBT = ' Whether it was done, npx changewire actions tells.';
/** How long a run may take to answer a challenge, in ms: one that is there answers at once. */
const PROOF_WITHIN = 3000;

/** Connects to a run, once it has proved that it is the one that wrote this address. @returns undefined when it isn't there any more */
export async function connectToRun(address: Address): Promise<Connection | undefined> {
  // An agent of its own, so that no proxy of the environment gets the request.
  const agent = new Agent({ keepAlive: true });
  const challenge = randomBytes(24).toString('base64url');
  const answered = await send(agent, address, { challenge }).catch(() => undefined);
  if (!isProof(answered, proofOf(address.token, challenge))) {
    agent.destroy();
    return undefined;
  }
  return {
    ...(address.hasPage && { page: address }),
    ask: async request => {
      const { status, text } = await send(agent, address, { request }).catch(
        ({ code }: NodeJS.ErrnoException) => {
          throw new Gone(`The run was stopped, or it failed (${code}).${isLook(request) ? '' : DOUBT}`);
        },
      );
      const said = reply.safeParse(parsed(text));
      if (!said.success) throw new Refused(`The run answered ${status}: ${errorOf(text)}`);
      if ('refused' in said.data) throw new Refused(said.data.refused, { isUsage: said.data.isUsage });
      return said.data.answer as never;
    },
    close: async () => agent.destroy(),
  };
}

interface Sent {
  readonly challenge?: string;
  readonly request?: object;
}
interface Received {
  readonly status: number;
  readonly text: string;
}

function send(agent: Agent, { url, token }: Address, { challenge, request }: Sent): Promise<Received> {
  const body = request && JSON.stringify(request);
  return new Promise((resolve, reject) => {
    const sending = httpRequest(
      `${url}/operations${challenge === undefined ? '' : `?challenge=${challenge}`}`,
      {
        agent,
        method: body === undefined ? 'GET' : 'POST',
        ...(body !== undefined && {
          headers: {
            authorization: `Bearer ${token}`,
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(body),
          },
        }),
        ...(challenge !== undefined && { signal: AbortSignal.timeout(PROOF_WITHIN) }),
      },
      response => textOf(response).then(text => resolve({ status: response.statusCode ?? 0, text }), reject),
    );
    sending.once('error', reject).end(body);
  });
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return text;
}

function isProof(answered: Received | undefined, expected: string): boolean {
  const { proof } = (parsed(answered?.text ?? '') ?? {}) as { proof?: unknown };
  const [given, right] = [Buffer.from(String(proof)), Buffer.from(expected)];
  return given.length === right.length && timingSafeEqual(given, right);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function errorOf(text: string): string {
  const { error } = (parsed(text) ?? {}) as { error?: unknown };
  return typeof error === 'string' ? error : 'nothing that this version knows.';
}
