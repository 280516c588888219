import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../functions/clock.ts';
import { API_PATH, AUTH_PATH, answer } from './answer.ts';
import { believableWorkspace } from './believable/generate.ts';
import { createEditApi, type EditApi } from './edits/edit-api.ts';
import { WorkspaceStore } from './edits/store.ts';
import { type ActiveFault, type FaultRule, Faults, type SeenRequest } from './faults.ts';
import { DEFAULT_FREEDOMS, type Freedoms } from './freedoms.ts';
import { loadWorkspace, saveWorkspace } from './persistence.ts';
import type { Credentials } from './token-endpoint.ts';
import { createTokens } from './tokens.ts';
import type { Workspace } from './workspace.ts';

export { buildWorkspace } from './build.ts';
export { startChanging } from './changing.ts';
export type { EditApi } from './edits/edit-api.ts';
export type { EditOptions } from './edits/store.ts';
export { type Fault, type FaultRule, type SeenRequest, tooManyRequests } from './faults.ts';
export { DEFAULT_FREEDOMS, type Freedoms } from './freedoms.ts';
export type { Workspace } from './workspace.ts';

/** The one credential set that the simulated service knows. */
export const SIMULATED_CREDENTIALS: Credentials = {
  clientId: 'simulated-client',
  clientSecret: 'simulated-secret-8Qm2vXw5',
  audience: 'https://api.simulated.example',
};

export interface SimulatedServiceOptions {
  /** 0, the default, takes any free port. */
  readonly port?: number;
  /** The service's clock: it stamps edits, ends tokens, and is told in the `Date` header. */
  readonly clock?: Clock;
  /** Makes the believable workspace, when neither `file` nor `workspace` gives one. */
  readonly seed?: number;
  readonly workspace?: Workspace;
  /** Where the state is kept. When it holds a state already, that one is taken. */
  readonly file?: string;
  readonly freedoms?: Partial<Freedoms>;
}

/** A running service that obeys service-api.md, on 127.0.0.1. */
export interface SimulatedService extends Credentials {
  readonly baseUrl: string;
  readonly authUrl: string;
  /** Edits and reads the workspace from within. */
  readonly workspace: EditApi;
  /** The requests so far (the last 100,000), in the order of their arrival, token requests included. */
  readonly requests: readonly SeenRequest[];
  clearRequests(): void;
  /** To be changed at any time. */
  readonly freedoms: Freedoms;
  /** Makes the next requests go wrong. */
  fail(rule: FaultRule): ActiveFault;
  /** Makes every token issued so far worthless. */
  revokeTokens(): void;
  /** Closes every socket at once. */
  stop(): Promise<void>;
}

const MOST_REQUESTS = 100_000;

/** Starts the service. @throws when the port is taken, or when `file` can't be read or written */
export async function startSimulatedService(
  options: SimulatedServiceOptions = {},
): Promise<SimulatedService> {
  const { clock = Date.now, file } = options;
  const freedoms: Freedoms = { ...DEFAULT_FREEDOMS, ...options.freedoms };
  const initial = (file ? loadWorkspace(file) : undefined) ?? options.workspace;
  const store = new WorkspaceStore(
    initial ?? believableWorkspace(options.seed ?? 1, clock()),
    clock,
    freedoms,
    state => {
      if (file) saveWorkspace(file, state);
    },
  );
  const server = createServer();
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const authUrl = `${origin}${AUTH_PATH}`;
  const { clientSecret: secret, audience } = SIMULATED_CREDENTIALS;
  const tokens = createTokens({ clock, secret, issuer: authUrl, audience });
  const faults = new Faults();
  const requests: SeenRequest[] = [];
  const seen = (request: SeenRequest): void => {
    requests.push(request);
    if (requests.length > MOST_REQUESTS) requests.shift();
  };
  const workspace = () => store.workspace;
  const backend = { workspace, freedoms, faults, tokens, credentials: SIMULATED_CREDENTIALS, clock, seen };
  server.on('request', (request, response) => {
    answer(backend, request, response).catch(() => request.socket.destroy());
  });
  return {
    ...SIMULATED_CREDENTIALS,
    baseUrl: `${origin}${API_PATH}`,
    authUrl,
    workspace: createEditApi(store),
    requests,
    clearRequests: () => void requests.splice(0),
    freedoms,
    fail: rule => faults.add(rule),
    revokeTokens: () => tokens.revoke(),
    async stop() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
