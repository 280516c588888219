import type { Clock } from '../basics/clock.ts';
import type { EndpointSettings } from '../model/endpoint.ts';
import type { EndpointRow, Health } from '../model/endpoint-row.ts';
import type { EndpointRows } from '../store/store.ts';
import { drainEnd, drained } from './health.ts';

/** By an endpoint's row one run at a time takes charge of what waits for it. */
export interface DrainingDependencies {
  readonly rows: EndpointRows;
  readonly clock: Clock;
  /** Unique to this run. */
  readonly run: string;
}

/** Takes charge of the endpoint's rows for this run, until `until`; undefined when another run has them. */
export function beginDraining(
  { name }: EndpointSettings,
  until: number,
  { rows, clock, run }: DrainingDependencies,
): Promise<EndpointRow | undefined> {
  let isOurs = false;
  const taken = rows.change(name, row => {
    isOurs =
      row !== undefined && (row.health.draining?.by === run || drainEnd(row.health, clock()) <= clock());
    return row && isOurs ? { ...row, health: { ...row.health, draining: { by: run, until } } } : undefined;
  });
  return taken.then(row => (isOurs ? row : undefined));
}

/** Gives them up, unless another run has taken them since. `pace`: what the next turn continues with. */
export async function endDraining(
  { name }: EndpointSettings,
  pace: Health['pace'],
  { rows, run }: DrainingDependencies,
): Promise<void> {
  await rows.change(name, row => {
    if (row?.health.draining?.by !== run) return undefined;
    const { draining, pace: _, ...health } = row.health;
    return { ...row, health: { ...health, ...(pace && { pace }) } };
  });
}

/** Notes in the endpoint's row when the next delivery is due, if one is. False when more were added since the
 *  row was read: then nothing is noted. */
export async function forgetDue(
  { name }: EndpointSettings,
  added: number,
  next: number | undefined,
  { rows }: DrainingDependencies,
): Promise<boolean> {
  let isSettled = true;
  await rows.change(name, row => {
    const health = row && drained(row.health, added, next);
    isSettled = health !== undefined;
    return row && health && { ...row, health };
  });
  return isSettled;
}
