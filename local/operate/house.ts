import { randomBytes, randomUUID } from 'node:crypto';
import type { EndpointRows } from '../../functions/delivery/endpoint-rows.ts';
import type { Sender } from '../../functions/delivery/sender.ts';
import type { EndpointSettings } from '../../functions/endpoints/endpoint.ts';
import { resolveBySystem } from '../../functions/endpoints/guarded-agent.ts';
import type { SecretKeeper } from '../../functions/endpoints/secret.ts';
import type { Actions } from '../../functions/operations/actions.ts';
import { createOperations } from '../../functions/operations/create-operations.ts';
import type { Operations } from '../../functions/operations/operations.ts';
import type { OperationsHouse } from '../../functions/operations/operations-house.ts';
import type { Request } from '../../functions/operations/protocol/requests.ts';
import { Refused } from '../../functions/operations/refused.ts';
import type { SqliteDeliveries } from '../../functions/snapshots/sqlite/deliveries.ts';
import { checkEndpoint } from '../../infra/config/check-endpoint.ts';

/** The parts that a run has in another way than a command that reads what the last run left. */
export interface HouseParts
  extends Pick<
    OperationsHouse,
    'isRunning' | 'processes' | 'roster' | 'states' | 'journal' | 'passes' | 'doctor' | 'log' | 'queues'
  > {
  readonly rows: EndpointRows;
  readonly deliveries: SqliteDeliveries;
  readonly actions: Actions;
  /** The endpoints of the command line and of the configuration. */
  readonly configured: readonly EndpointSettings[];
  readonly secrets: SecretKeeper;
  readonly sender: Sender;
  /** Resolves when the run serves its endpoints as they are now. */
  readonly obey?: () => Promise<void>;
}

/** What the run must obey before it is answered: who hears that an endpoint was added counts on all that happens from then on. */
const OBEYED: ReadonlySet<Request['operation']> = new Set([
  ...(['add-endpoint', 'update-endpoint', 'remove-endpoint'] as const),
  ...(['pause-endpoint', 'resume-endpoint'] as const),
]);

/** What people may ask and do on one machine. */
export function localOperations({ configured, sender, obey, ...parts }: HouseParts): Operations {
  const operations = createOperations({
    ...parts,
    ...sender,
    configured,
    label: 'run',
    check: checkEndpoint,
    address: { allowLoopback: true, resolve: resolveBySystem },
    clock: Date.now,
    randomBytes,
    newId: randomUUID,
  });
  return async (asked, caller) => {
    const isConfigured = 'endpoint' in asked && configured.some(({ name }) => name === asked.endpoint);
    if (isConfigured && asksForSecret(asked, parts.isRunning)) throw new Refused(ELSEWHERE);
    const answer = await operations(asked, caller);
    if (OBEYED.has(asked.operation)) await obey?.();
    return answer;
  };
}

/** Whether a request needs the address or the secrets of an endpoint that is configured. They come from
 *  the start of a run: only that run knows them, and new ones in the store would have no effect. */
function asksForSecret(asked: Request, isRunning: boolean): boolean {
  const { operation } = asked;
  if (operation === 'test-endpoint') return !isRunning;
  if (operation === 'update-endpoint') return asked.url !== undefined;
  return operation === 'rotate-secret' || operation === 'finish-rotation';
}

const ELSEWHERE =
  'The address and the signing secret of this endpoint come from the command line of the run, or from its configuration and ' +
  'environment: change them there, and start it again.';
