import { randomBytes, randomUUID } from 'node:crypto';
import type { EndpointRows } from '../../functions/delivery/endpoint-rows.ts';
import type { Sender } from '../../functions/delivery/sender.ts';
import type { SqliteDeliveries } from '../../functions/delivery/sqlite-deliveries.ts';
import type { EndpointSettings } from '../../functions/endpoints/endpoint.ts';
import { resolveBySystem } from '../../functions/endpoints/guarded-agent.ts';
import type { SecretKeeper } from '../../functions/endpoints/secret.ts';
import type { Actions } from '../../functions/operations/actions.ts';
import type { OperationsHouse } from '../../functions/operations/operations-house.ts';
import { Refused } from '../../functions/operations/refused.ts';
import { checkEndpoint } from '../../infra/config/check-endpoint.ts';

/** What differs between a run and what the last one left. */
export interface HouseParts
  extends Pick<
    OperationsHouse,
    'isRunning' | 'processes' | 'states' | 'journal' | 'passes' | 'doctor' | 'log' | 'queues'
  > {
  readonly rows: EndpointRows;
  readonly deliveries: SqliteDeliveries;
  readonly actions: Actions;
  /** The endpoints of the command line and of the configuration. */
  readonly configured: readonly EndpointSettings[];
  readonly secrets: SecretKeeper;
  readonly sender: Sender;
}

/** All that the operations work with on one machine. */
export function localHouse({ configured, secrets, sender, ...parts }: HouseParts): OperationsHouse {
  return {
    ...parts,
    ...sender,
    configured,
    label: 'run',
    secrets: keptFor(configured, secrets),
    check: checkEndpoint,
    address: { allowLoopback: true, resolve: resolveBySystem },
    clock: Date.now,
    randomBytes,
    newId: randomUUID,
  };
}

/** The address and secrets of an endpoint that is configured come from the command line, the environment or a file: what were written
 *  beside them would count for nothing. */
function keptFor(configured: readonly EndpointSettings[], secrets: SecretKeeper): SecretKeeper {
  return {
    ...secrets,
    write: async (name, text) => {
      if (configured.some(endpoint => endpoint.name === name))
        throw new Refused(
          'The address and the signing secret of this endpoint come from the command line of the run, or from its configuration and ' +
            'environment: change them there, and start it again.',
        );
      await secrets.write(name, text);
    },
  };
}
