import { Agent, request as httpRequest } from '../../functions/basics/http.ts';
import { parseAnswer } from '../../functions/basics/json.ts';
import { isLook, reply } from '../../functions/operations/protocol/requests.ts';
import { Refused } from '../../functions/operations/refused.ts';
import type { Address } from '../../local/operate/address.ts';
import { seal, unseal } from '../../local/operate/seal.ts';
import { type Connection, Gone } from './connection.ts';

const CHECK_ACTIONS = ' To see whether the action was performed: npx changewire actions';
/** An active run answers the first request, which does nothing, at once. */
const PROBE_TIMEOUT_MS = 3000;

/** Connects to a run after its answer proves that it wrote this address: a killed run leaves its address, and
 *  another program may listen there. @returns undefined if the run has ended */
export async function connectToRun(address: Address): Promise<Connection | undefined> {
  // A separate agent, so that the request does not go through a proxy of the environment.
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
        throw new Gone(
          `The connection to the running instance was lost (${code}): it has stopped or failed.${isLook(request) ? '' : CHECK_ACTIONS}`,
        );
      });
      if (answered === undefined)
        throw new Gone('The instance has stopped, and another program uses its port.');
      const parsed = reply.safeParse(answered);
      if (!parsed.success)
        throw new Refused(
          'The instance sent a response that this version does not support. Use the same version for both.',
        );
      if ('refused' in parsed.data) throw new Refused(parsed.data.refused, { isUsage: parsed.data.isUsage });
      return parsed.data.answer as never;
    },
    close: async () => agent.destroy(),
  };
}

/** Sends a request, sealed. @returns the answer; undefined if it does not come from the run */
async function send(
  agent: InstanceType<typeof Agent>,
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
  return text === undefined ? undefined : parseAnswer(text);
}
