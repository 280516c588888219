import type { Clock } from '../basics/clock.ts';
import type { Log } from '../basics/telemetry.ts';
import type { Queues } from '../delivery/queues.ts';
import type { EndpointSettings } from '../model/endpoint.ts';
import type { Deliveries } from '../store/deliveries.ts';
import type { EndpointRow, EndpointRows } from '../store/endpoint-rows.ts';
import { didYouMean, Refused } from './refused.ts';

/** What the operations on endpoints need. */
export interface House {
  /** The endpoints of the configuration, which operations can't change. */
  readonly configured: readonly EndpointSettings[];
  readonly rows: EndpointRows;
  readonly deliveries: Deliveries;
  readonly queues: Pick<Queues, 'wake'>;
  readonly clock: Clock;
  readonly log: Log;
}

export interface Applying {
  /** What puts a changed configuration into effect. */
  readonly toApply: 'deploy' | 'start again';
}

/** An endpoint and its row. */
export interface Found {
  readonly endpoint: EndpointSettings;
  readonly isConfigured: boolean;
  readonly row: EndpointRow | undefined;
}

/** @throws Refused when there is no endpoint of this name */
export async function findEndpoint(name: string, house: House): Promise<Found> {
  const { configured, rows } = house;
  const row = await rows.read(name);
  const settled = configured.find(endpoint => endpoint.name === name);
  const endpoint = settled ?? row?.settings;
  if (!endpoint) throw await unknownEndpoint(name, house);
  return { endpoint, isConfigured: settled !== undefined, row };
}

/** Changes the row of an endpoint; a configured one may have none yet. `change` returns undefined to leave it
 *  as it is.
 *  @throws Refused when the endpoint was removed meanwhile */
export async function changeRow(
  { endpoint: { name }, isConfigured }: Found,
  house: House,
  change: (row: EndpointRow) => EndpointRow | undefined,
): Promise<EndpointRow> {
  let isGone = false;
  const changed = await house.rows.change(name, row => {
    isGone = !row?.settings && !isConfigured;
    return isGone ? undefined : change(row ?? { name, health: {} });
  });
  if (isGone) throw await unknownEndpoint(name, house);
  return changed ?? { name, health: {} };
}

/** Wakes a run that looks at what waits. If that fails, the next tick does it. */
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

/** The error for an unknown name, with the name that was likely meant. */
export async function unknownEndpoint(
  name: string,
  { configured, rows }: Pick<House, 'configured' | 'rows'>,
): Promise<Refused> {
  const added = (await rows.list()).filter(({ settings }) => settings);
  const names = [...configured, ...added].map(endpoint => endpoint.name);
  const hint = didYouMean(name, names) || ' The list of endpoints has their names.';
  return new Refused(`There is no endpoint of this name.${hint}`);
}
