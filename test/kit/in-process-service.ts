import type { Dispatcher } from 'undici';
import type { Clock } from '../../functions/basics/clock.ts';
import { API_PATH, AUTH_PATH, finished, respond } from '../../simulator/answer.ts';
import { createBackend, SIMULATED_CREDENTIALS, type SimulatedBackend } from '../../simulator/backend.ts';
import { type Fault, Faults } from '../../simulator/faults.ts';
import type { Freedoms, SeenRequest, SimulatedService, Workspace } from '../../simulator/server.ts';
import { type Reply, type Sent, SocketError } from '../simulation/http.ts';
import { agentOf } from './agent.ts';

const ORIGIN = 'https://service.example';

/** The simulated service without sockets, and the dispatcher by which users of undici reach it. */
export interface InProcessService extends SimulatedService {
  readonly agent: Dispatcher;
}

/** Serves as `startSimulatedService` does, faults included, in its client's process, so that requests
 *  need no socket. Sockets are tested in `test/service/` and `test/integration/`. */
export function serveInProcess(options: {
  readonly clock: Clock;
  readonly workspace: Workspace;
  readonly freedoms: Partial<Freedoms>;
}): InProcessService {
  const backend = createBackend({ ...options, origin: ORIGIN });
  const faults = new Faults();
  const requests: SeenRequest[] = [];
  const serve = async (sent: Sent): Promise<Reply | undefined> => {
    const seen = { method: sent.method, path: relative(sent.path), status: 0 };
    requests.push(seen);
    const reply = await answer(backend, sent, { seen, fault: faults.take(seen) });
    seen.status = reply?.status ?? 0;
    return reply;
  };
  return {
    ...SIMULATED_CREDENTIALS,
    agent: agentOf((sent, controller) =>
      serve(sent).then(
        reply => reply && controller.answer(reply),
        error => controller.fail(error),
      ),
    ),
    baseUrl: `${ORIGIN}${API_PATH}`,
    authUrl: `${ORIGIN}${AUTH_PATH}`,
    workspace: backend.edit,
    requests,
    clearRequests: () => void requests.splice(0),
    freedoms: backend.freedoms,
    fail: rule => faults.add(rule),
    revokeTokens: () => backend.tokens.revoke(),
    stop: async () => undefined,
  };
}

/** @returns undefined for no answer at all. @throws when the connection breaks */
async function answer(
  backend: SimulatedBackend,
  sent: Sent,
  { seen, fault }: { seen: SeenRequest; fault: Fault | undefined },
): Promise<Reply | undefined> {
  if (fault === 'hang') return undefined;
  if (fault === 'destroy') throw new SocketError('other side closed');
  if (typeof fault === 'object' && 'status' in fault) return finished(backend, fault);
  if (typeof fault === 'object' && 'before' in fault) await fault.before(seen);
  const { method, path: url, headers, body } = sent;
  const asked = {
    method,
    url,
    body,
    authorization: headers.authorization,
    contentType: headers['content-type'],
  };
  const change = typeof fault === 'object' && 'change' in fault ? fault.change : undefined;
  return { ...respond(backend, asked, change), breaksOff: fault === 'truncate' };
}

function relative(path: string): string {
  const prefix = [API_PATH, AUTH_PATH].find(prefix => path.startsWith(`${prefix}/`)) ?? '';
  return path.slice(prefix.length);
}
