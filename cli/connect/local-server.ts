import { Agent, request as httpRequest } from 'node:http';
import { isLook, reply } from '../../functions/operations/protocol/requests.ts';
import { Refused } from '../../functions/operations/refused.ts';
import type { Address } from '../../local/operate/address.ts';
import { seal, unseal } from '../../local/operate/seal.ts';
import { type Connection, Gone } from './connection.ts';

const DOUBT = ' Whether it was done, npx changewire actions tells.';
/** A run that is there answers its first request, which does nothing, at once. */
const PROBE_TIMEOUT_MS = 3000;

/** Connects to a run, once it has shown by an answer that it is the one that wrote this address: a run that was
 *  killed leaves its address, and another program may listen there. @returns undefined when it isn't there any more */
export async function connectToRun(address: Address): Promise<Connection | undefined> {
  // An agent of its own, so that no proxy of the environment gets the request.
  const agent = new Agent({ keepAlive: true });
  const probed = await send(agent, address, {}, AbortSignal.timeout(PROBE_TIMEOUT_MS)).catch(() => undefined);
  if (!reply.safeParse(probed).success) {
    agent.destroy();
    return undefined;
  }
  return {
    ...(address.hasPage && { page: address }),
    ask: async request => {
      const answered = await send(agent, address, request).catch(({ code }: NodeJS.ErrnoException) => {
        throw new Gone(`The run was stopped, or it failed (${code}).${isLook(request) ? '' : DOUBT}`);
      });
      if (answered === undefined) throw new Gone('The run was stopped, and another program has its port.');
      const said = reply.safeParse(answered);
      if (!said.success) throw new Refused('The run gave an answer that this version does not know.');
      if ('refused' in said.data) throw new Refused(said.data.refused, { isUsage: said.data.isUsage });
      return said.data.answer as never;
    },
    close: async () => agent.destroy(),
  };
}

/** Sends a request, sealed. @returns the answer; undefined for one that does not come from the run */
async function send(
  agent: Agent,
  { url, token }: Address,
  request: object,
  signal?: AbortSignal,
): Promise<unknown> {
  const sealed = await seal(token, JSON.stringify(request));
  const answered = await new Promise<Buffer>((resolve, reject) => {
    const headers = { 'content-type': 'application/octet-stream', 'content-length': sealed.length };
    const options = { agent, method: 'POST', headers, ...(signal && { signal }) };
    const sending = httpRequest(`${url}/operations`, options, response =>
      response.toArray().then(chunks => resolve(Buffer.concat(chunks)), reject),
    );
    sending.once('error', reject).end(sealed);
  });
  const text = await unseal(token, answered, sealed);
  return text === undefined ? undefined : JSON.parse(text);
}
