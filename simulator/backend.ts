import type { Clock } from '../functions/basics/clock.ts';
import { AUTH_PATH, type Backend } from './answer.ts';
import { DEFAULT_FREEDOMS, type Freedoms } from './data/freedoms.ts';
import type { Workspace } from './data/workspace.ts';
import { createEditApi, type EditApi } from './edits/edit-api.ts';
import { WorkspaceStore } from './edits/store.ts';
import type { Credentials } from './issue-token.ts';
import { createTokens, type Tokens } from './tokens.ts';

/** The only valid credentials of the simulated service. */
export const SIMULATED_CREDENTIALS: Credentials = {
  clientId: 'simulated-client',
  clientSecret: 'simulated-secret-8Qm2vXw5',
  audience: 'https://api.simulated.example',
};

/** The service without HTTP: `respond` answers from it, and its workspace can be edited. */
export interface SimulatedBackend extends Backend {
  readonly edit: EditApi;
  readonly tokens: Tokens;
}

export function createBackend(options: {
  readonly clock: Clock;
  readonly workspace: Workspace;
  readonly freedoms?: Partial<Freedoms> | undefined;
  /** The service's address, which its tokens contain. */
  readonly origin: string;
  readonly persist?: (workspace: Workspace) => void;
}): SimulatedBackend {
  const { clock, persist = () => {} } = options;
  const freedoms: Freedoms = { ...DEFAULT_FREEDOMS, ...options.freedoms };
  const store = new WorkspaceStore(options.workspace, clock, freedoms, persist);
  const { clientSecret: secret, audience } = SIMULATED_CREDENTIALS;
  return {
    workspace: () => store.workspace,
    edit: createEditApi(store),
    freedoms,
    tokens: createTokens({ clock, secret, issuer: `${options.origin}${AUTH_PATH}`, audience }),
    credentials: SIMULATED_CREDENTIALS,
    clock,
  };
}
