import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../functions/basics/clock.ts';
import { createServer } from '../functions/basics/http.ts';
import { API_PATH, AUTH_PATH } from './answer.ts';
import { createBackend, SIMULATED_CREDENTIALS } from './backend.ts';
import { believableWorkspace } from './believable/generate.ts';
import type { Freedoms } from './data/freedoms.ts';
import type { Workspace } from './data/workspace.ts';
import type { EditApi } from './edits/edit-api.ts';
import { type ActiveFault, type FaultRule, Faults, type SeenRequest } from './faults.ts';
import { answer } from './http.ts';
import type { Credentials } from './issue-token.ts';
import { loadWorkspace, saveWorkspace } from './persistence.ts';

export { SIMULATED_CREDENTIALS } from './backend.ts';
export { buildWorkspace } from './build.ts';
export { startChanging } from './changing.ts';
export { DEFAULT_FREEDOMS, type Freedoms } from './data/freedoms.ts';
export type { Workspace } from './data/workspace.ts';
export type { EditApi } from './edits/edit-api.ts';
export type { EditOptions } from './edits/store.ts';
export { type Fault, type FaultRule, type SeenRequest, tooManyRequests } from './faults.ts';

export interface SimulatedServiceOptions {
  /** 0, the default, takes any free port. */
  readonly port?: number;
  /** The service's clock, for update times, the expiry of tokens and the `Date` header. */
  readonly clock?: Clock;
  /** Seeds the believable workspace, if neither `file` nor `workspace` is given. */
  readonly seed?: number;
  readonly workspace?: Workspace;
  /** The file of the state. An existing state is continued. */
  readonly file?: string;
  readonly freedoms?: Partial<Freedoms>;
}

/** A running service on 127.0.0.1, according to service-api.md. */
export interface SimulatedService extends Credentials {
  readonly baseUrl: string;
  readonly authUrl: string;
  /** Edits and reads the workspace without the REST API. */
  readonly workspace: EditApi;
  /** The requests so far (the last 100,000), in the order of their arrival, token requests included. */
  readonly requests: readonly SeenRequest[];
  clearRequests(): void;
  /** May be changed at any time. */
  readonly freedoms: Freedoms;
  /** Sets faults for the next requests. */
  fail(rule: FaultRule): ActiveFault;
  /** Makes every token issued so far invalid. */
  revokeTokens(): void;
  /** Closes every socket at once. */
  stop(): Promise<void>;
}

const MAX_REQUESTS = 100_000;

/** Starts the service. @throws when the port is taken, or when `file` can't be read or written */
export async function startSimulatedService(
  options: SimulatedServiceOptions = {},
): Promise<SimulatedService> {
  const { clock = Date.now, file } = options;
  const initial = (file ? loadWorkspace(file) : undefined) ?? options.workspace;
  const server = createServer();
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const backend = createBackend({
    clock,
    workspace: initial ?? believableWorkspace(options.seed ?? 1, clock()),
    freedoms: options.freedoms,
    origin,
    persist: state => {
      if (file) saveWorkspace(file, state);
    },
  });
  const faults = new Faults();
  const requests: SeenRequest[] = [];
  const seen = (request: SeenRequest): void => {
    requests.push(request);
    if (requests.length > MAX_REQUESTS) requests.shift();
  };
  server.on('request', (request, response) => {
    answer({ ...backend, faults, seen }, request, response).catch(() => request.socket.destroy());
  });
  return {
    ...SIMULATED_CREDENTIALS,
    baseUrl: `${origin}${API_PATH}`,
    authUrl: `${origin}${AUTH_PATH}`,
    workspace: backend.edit,
    requests,
    clearRequests: () => void requests.splice(0),
    freedoms: backend.freedoms,
    fail: rule => faults.add(rule),
    revokeTokens: () => backend.tokens.revoke(),
    async stop() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
