import type { Clock } from '../clock.ts';
import type { Deliveries } from '../delivery/deliveries.ts';
import type { EndpointRow, EndpointRows } from '../delivery/endpoint-rows.ts';
import type { Queues } from '../delivery/queues.ts';
import type { EndpointSettings } from '../endpoints/endpoint.ts';
import type { Log } from '../telemetry.ts';
import { Refused } from './refused.ts';

/** What all that people do to endpoints works with. */
export interface House {
  /** The endpoints of the configuration, which nothing here changes. */
  readonly configured: readonly EndpointSettings[];
  readonly rows: EndpointRows;
  readonly deliveries: Deliveries;
  readonly queues: Pick<Queues, 'wake'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** An endpoint, and what its row says. */
export interface Found {
  readonly endpoint: EndpointSettings;
  readonly isConfigured: boolean;
  readonly row: EndpointRow | undefined;
}

/** @throws Refused when there is none of this name */
export async function findEndpoint(name: string, { configured, rows }: House): Promise<Found> {
  const row = await rows.read(name);
  const settled = configured.find(endpoint => endpoint.name === name);
  const endpoint = settled ?? row?.settings;
  if (!endpoint) throw unknown();
  return { endpoint, isConfigured: settled !== undefined, row };
}

/** Changes the row of an endpoint that there is; one of the configuration may have none yet. `change` answers undefined to leave it.
 *  @throws Refused when it was removed meanwhile */
export async function changeRow(
  { endpoint: { name }, isConfigured }: Found,
  { rows }: House,
  change: (row: EndpointRow) => EndpointRow | undefined,
): Promise<EndpointRow> {
  let isGone = false;
  const changed = await rows.change(name, row => {
    isGone = !row?.settings && !isConfigured;
    return isGone ? undefined : change(row ?? { name, health: {} });
  });
  if (isGone) throw unknown();
  return changed ?? { name, health: {} };
}

/** Has what waits looked after at once. Were that to fail, the next tick would. */
export async function wake({ endpoint }: Found, { queues, log }: House): Promise<void> {
  try {
    await queues.wake(endpoint, 0);
  } catch (error) {
    log.warn('What waits for an endpoint is looked after within a minute, not at once.', {
      endpoint: endpoint.name,
      error: String(error),
    });
  }
}

/** What was asked for may hold anything, also a secret that was typed in its place: so it isn't quoted. */
function unknown(): Refused {
  return new Refused('There is no endpoint of this name. The list of endpoints has their names.');
}
