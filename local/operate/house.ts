import { randomBytes, randomUUID } from 'node:crypto';
import { checkEndpoint } from '../../functions/config/endpoint.ts';
import { resolveBySystem } from '../../functions/delivery/http/guarded-agent.ts';
import type { Sender } from '../../functions/delivery/sender.ts';
import type { EndpointSettings } from '../../functions/model/endpoint.ts';
import type { SecretKeeper } from '../../functions/model/secret.ts';
import { createOperations } from '../../functions/operations/create-operations.ts';
import type { Operations } from '../../functions/operations/operations.ts';
import type { OperationsHouse } from '../../functions/operations/operations-house.ts';
import type { Request } from '../../functions/operations/protocol/requests.ts';
import { Refused } from '../../functions/operations/refused.ts';
import type { Actions } from '../../functions/store/actions.ts';
import type { EndpointRows } from '../../functions/store/endpoint-rows.ts';
import type { SqliteDeliveries } from '../../functions/store/sqlite/store.ts';
import { variablePrefix } from '../settings/watched.ts';

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
  /** Names of the endpoints of the command line; undefined where no run goes on that would know. */
  readonly onCommandLine?: ReadonlySet<string> | undefined;
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
export function localOperations({
  configured,
  sender,
  obey,
  onCommandLine,
  ...parts
}: HouseParts): Operations {
  const operations = createOperations({
    ...parts,
    ...sender,
    configured,
    label: 'run',
    toApply: 'start again',
    check: checkEndpoint,
    address: { allowLoopback: true, resolve: resolveBySystem },
    clock: Date.now,
    randomBytes,
    newId: randomUUID,
  });
  return async (asked, caller) => {
    const endpoint = configured.find(({ name }) => 'endpoint' in asked && name === asked.endpoint);
    const problem = endpoint && setAtStart(asked, endpoint.name, { ...parts, onCommandLine });
    if (problem !== undefined) throw new Refused(problem);
    const answer = await operations(asked, caller);
    if (OBEYED.has(asked.operation)) await obey?.();
    return answer;
  };
}

/** Why a request about an endpoint of the configuration or the command line can't be done, and what to do instead; undefined:
 *  it can. Only the run knows their addresses and secrets: new ones in the store would have no effect. */
function setAtStart(
  asked: Request,
  endpoint: string,
  { isRunning, onCommandLine }: Pick<HouseParts, 'isRunning' | 'onCommandLine'>,
): string | undefined {
  const isOption = onCommandLine?.has(endpoint);
  const { operation } = asked;
  if (operation === 'rotate-secret' || operation === 'finish-rotation') return rotation(endpoint, isOption);
  if (operation === 'test-endpoint' && !isRunning) return ELSEWHERE;
  if (operation === 'update-endpoint' && asked.url !== undefined) return ELSEWHERE;
  if (operation === 'update-endpoint' && isOption) return ON_COMMAND_LINE;
  // With a dry run, too, which says what the removal would.
  if (operation === 'remove-endpoint' && isOption)
    return 'This endpoint is on the command line of the run: start again without it. Until then it can be paused.';
  return undefined;
}

const ON_COMMAND_LINE =
  'This endpoint is on the command line of the run: start again with another --filter there. Only endpoints of changewire.json, and ' +
  'those that are added with npx changewire endpoints add, have other settings.';

const ELSEWHERE =
  'The address and the signing secret of this endpoint come from the command line of the run, or from its configuration and ' +
  'environment: change them there, and start it again.';

function rotation(endpoint: string, isOption: boolean | undefined): string {
  const option = 'with --webhook-secret NEW --webhook-secret OLD after its --webhook';
  const variable = `with ENDPOINT_${variablePrefix(endpoint)}_SECRET=NEW,OLD in the environment or in .env`;
  const how = isOption === undefined ? `${option}, or ${variable}` : isOption ? option : variable;
  return (
    `The signing secret of this endpoint is read at the start of a run. To change it, start again ${how}; once the receiver has the ` +
    `new one, with NEW alone. A secret that was made is in ${endpoint}.secret of the data directory.`
  );
}
