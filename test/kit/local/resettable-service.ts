import { createServer } from 'node:http';
import { API_PATH, AUTH_PATH } from '../../../simulator/answer.ts';
import { createBackend, SIMULATED_CREDENTIALS } from '../../../simulator/backend.ts';
import { believableWorkspace } from '../../../simulator/believable/generate.ts';
import { Faults } from '../../../simulator/faults.ts';
import { answer } from '../../../simulator/http.ts';
import { listen } from '../listen.ts';

/** A simulated service that can be reset to its first state and keeps its address: so the data directory
 *  of a run stays valid, and each test can begin with a copy of it. */
export async function startResettableService() {
  const at = Date.now();
  const server = createServer();
  const { url: origin, stop } = await listen(server);
  const atFirst = () => createBackend({ clock: Date.now, workspace: believableWorkspace(1, at), origin });
  let backend = atFirst();
  server.on('request', (request, response) => {
    answer({ ...backend, faults: new Faults(), seen: () => undefined }, request, response).catch(() =>
      request.socket.destroy(),
    );
  });
  return {
    ...SIMULATED_CREDENTIALS,
    baseUrl: `${origin}${API_PATH}`,
    authUrl: `${origin}${AUTH_PATH}`,
    get workspace() {
      return backend.edit;
    },
    reset: () => {
      backend = atFirst();
    },
    stop,
  };
}
