import { inParallel } from '../basics/in-parallel.ts';
import { paused, resumed } from '../delivery/health.ts';
import { ENDPOINT_NAME, type EndpointSettings } from '../model/endpoint.ts';
import type { Attempt, Standing } from '../store/deliveries.ts';
import type { Health, Replay } from '../store/endpoint-rows.ts';
import { forget } from './add-endpoint.ts';
import { type Applying, changeRow, findEndpoint, type House, unknownEndpoint, wake } from './house.ts';
import { Refused } from './refused.ts';
import type { SecretHouse } from './secrets.ts';

export {
  type AskedEndpoint,
  addEndpoint,
  type SettingsHouse,
  type Update,
  updateEndpoint,
} from './add-endpoint.ts';
export { finishRotation, rotateSecret } from './secrets.ts';

/** Pauses an endpoint: nothing is sent to it until it is resumed, and new deliveries wait in rows. */
export async function pauseEndpoint(name: string, house: House): Promise<void> {
  const found = await findEndpoint(name, house);
  await changeRow(found, house, row => ({ ...row, health: paused(row.health, house.clock()) }));
}

/** Resumes an endpoint that is paused, stopped or failing, as if nothing had happened: what waits is sent at
 *  once. */
export async function resumeEndpoint(name: string, house: House): Promise<void> {
  const found = await findEndpoint(name, house);
  await house.deliveries.bringForward(name, house.clock());
  await changeRow(found, house, row => ({ ...row, health: resumed(row.health, house.clock()) }));
  await wake(found, house);
}

/** Removes an endpoint that was added while Changewire ran, its secret, and what waited for it. If the
 *  configuration has one of the same name, only the one that was added is removed.
 *  @throws Refused for a configured endpoint, and for an unknown one; even then, what an interrupted removal
 *  left behind is removed */
export async function removeEndpoint(name: string, house: House & SecretHouse & Applying): Promise<void> {
  // No endpoint has such a name, and the secret of another path must not be removed.
  if (!ENDPOINT_NAME.test(name)) throw await unknownEndpoint(name, house);
  const isConfigured = house.configured.some(endpoint => endpoint.name === name);
  let wasThere = false;
  await house.rows.change(name, row => {
    wasThere = row?.settings !== undefined;
    if (!row || !wasThere) return undefined;
    const { settings: _, ...rest } = row;
    return isConfigured ? rest : 'removed';
  });
  if (isConfigured && wasThere) return;
  if (isConfigured) throw notRemovable(house);
  await house.secrets.remove(name);
  await forget(name, house);
  if (!wasThere) throw await unknownEndpoint(name, house);
}

/** @throws Refused when the endpoint can't be removed */
export async function checkRemovable(name: string, house: House & Applying): Promise<void> {
  const { isConfigured, row } = await findEndpoint(name, house);
  if (isConfigured && !row?.settings) throw notRemovable(house);
}

function notRemovable({ toApply }: Applying): Refused {
  return new Refused(
    `This endpoint stands in the configuration: remove it there, and ${toApply}. Until then it can be paused.`,
  );
}

/** An endpoint in the list that people get. */
export interface ListedEndpoint {
  readonly settings: EndpointSettings;
  readonly isConfigured: boolean;
  /** One of this name was added, too; the configuration counts. */
  readonly overrides: boolean;
  readonly health: Health;
  readonly replay: Replay | undefined;
  readonly standing: Standing;
}

/** How many endpoints are looked up at once. */
const WIDTH = 10;

/** All endpoints, by name. */
export async function listEndpoints(house: House): Promise<ListedEndpoint[]> {
  const rows = new Map((await house.rows.list()).map(row => [row.name, row]));
  const configured = new Map(house.configured.map(endpoint => [endpoint.name, endpoint]));
  const names = [...new Set([...configured.keys(), ...rows.keys()])].toSorted();
  const listed = new Map<string, ListedEndpoint>();
  await inParallel(names, WIDTH, async name => {
    const row = rows.get(name);
    const settings = configured.get(name) ?? row?.settings;
    // A row without settings whose endpoint was taken out of the configuration is left out.
    if (!settings) return;
    const isConfigured = configured.has(name);
    listed.set(name, {
      settings,
      isConfigured,
      overrides: isConfigured && row?.settings !== undefined,
      health: row?.health ?? {},
      replay: row?.replay,
      standing: await house.deliveries.standing(name),
    });
  });
  return names.flatMap(name => listed.get(name) ?? []);
}

/** The last attempts of an endpoint, the newest first. */
export async function attemptsOf(name: string, limit: number, house: House): Promise<Attempt[]> {
  await findEndpoint(name, house);
  return house.deliveries.attempts(name, limit);
}
