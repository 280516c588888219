import { isDeepStrictEqual } from 'node:util';
import { type AddressCheck, addressProblem } from '../delivery/http/check-address.ts';
import type { EndpointSettings } from '../model/endpoint.ts';
import type { Deliveries } from '../store/deliveries.ts';
import { checkWatched, type FilterHouse, filterWarnings } from './check-filter.ts';
import { type Applying, changeRow, findEndpoint, type House } from './house.ts';
import { Refused } from './refused.ts';
import {
  changeSecret,
  checkSecrets,
  newSigningSecret,
  noteOf,
  readSecret,
  type SecretHouse,
  writeSecret,
} from './secrets.ts';

export interface SettingsHouse extends House, SecretHouse, FilterHouse, Applying {
  /** Returns the settings as the configuration would have them, or what is wrong with them, a line for each
   *  problem. The address is checked in this module. */
  readonly check: (settings: unknown) => Checked;
  readonly address: AddressCheck;
}

/** Settings in the form in which they are kept, or what is wrong with them. */
export type Checked = { readonly settings: EndpointSettings } | { readonly problems: readonly string[] };

/** An endpoint that somebody asks to add. */
export interface AskedEndpoint extends EndpointSettings {
  readonly url: string;
  /** Only for webhooks: one or two; without any, one is made. */
  readonly secrets?: readonly string[] | undefined;
}

/** Adds an endpoint. All functions know it within 30 s.
 *  @returns the signing secret that was made, which is shown only here, and what its filter names but no change has
 *  @throws Refused when the settings are wrong, the name is taken, or nothing could be delivered there */
export async function addEndpoint(
  { url, secrets = [], ...asked }: AskedEndpoint,
  house: SettingsHouse,
): Promise<{ readonly secret: string | undefined; readonly warnings: readonly string[] }> {
  const settings = checkedSettings(asked, house);
  await checkWatched(settings.filter, house);
  const { name, kind } = settings;
  if (house.configured.some(endpoint => endpoint.name === name) || (await house.rows.read(name))?.settings)
    throw taken();
  checkSecrets(kind, secrets);
  await checkAddress(url, house);
  const made = kind === 'webhook' && secrets.length === 0 ? newSigningSecret(house.randomBytes) : undefined;
  const signing = made === undefined ? secrets : [made];
  const warnings = await filterWarnings(settings.filter, house);
  // Both before the row is written: whoever reads the row needs the secret, and what waited for an earlier
  // endpoint of this name must not be sent to this one.
  await writeSecret(name, { url, ...(kind === 'webhook' && { secrets: signing }) }, house);
  await forget(name, house);
  let isOurs = false;
  await house.rows.change(name, row => {
    // If the answer to a write was lost, this runs again and finds the row that it wrote.
    isOurs = row?.settings === undefined || isDeepStrictEqual(row.settings, settings);
    return isOurs
      ? { name, settings, health: {}, addedAt: house.clock(), ...noteOf({ url }, row, house) }
      : undefined;
  });
  if (!isOurs) throw taken();
  return { secret: made, warnings };
}

/** What can be changed of an endpoint. A key that is missing stays as it is; null means the default. */
export type Update = {
  readonly [Key in 'filter' | 'perSecond' | 'keepSuccesses']?: EndpointSettings[Key] | null;
} & { readonly url?: string | undefined };

/** Changes an endpoint that was added while Changewire ran; of a configured one, only the address.
 *  @returns its settings as they then are, and what a new filter names but no change has */
export async function updateEndpoint(
  name: string,
  { url, ...update }: Update,
  house: SettingsHouse,
): Promise<{ readonly settings: EndpointSettings; readonly warnings: readonly string[] }> {
  const found = await findEndpoint(name, house);
  const { endpoint, isConfigured } = found;
  const isChanged = Object.values(update).some(value => value !== undefined);
  if (isConfigured && isChanged)
    throw new Refused(`This endpoint stands in the configuration: change it there, and ${house.toApply}.`);
  const { filter } = checkedSettings(updated(endpoint, update), house);
  const isFiltered = update.filter !== undefined;
  if (isFiltered) await checkWatched(filter, house);
  const warnings = isFiltered ? await filterWarnings(filter, house) : [];
  if (url !== undefined) {
    await checkAddress(url, house);
    await changeSecret(found, { ...(await readSecret(endpoint, house)), url }, house);
  }
  if (!isChanged) return { settings: endpoint, warnings };
  const row = await changeRow(found, house, row =>
    row.settings ? { ...row, settings: checkedSettings(updated(row.settings, update), house) } : undefined,
  );
  return { settings: row.settings ?? endpoint, warnings };
}

function updated(settings: EndpointSettings, update: Omit<Update, 'url'>): object {
  const given = Object.entries(update).filter(([, value]) => value !== undefined);
  const merged = Object.entries({ ...settings, ...Object.fromEntries(given) });
  return Object.fromEntries(merged.filter(([, value]) => value !== null));
}

/** Removes all waiting deliveries and dead letters of an endpoint: a later endpoint of this name must not get
 *  them. */
export async function forget(
  name: string,
  { deliveries, clock }: { readonly deliveries: Deliveries; readonly clock: () => number },
): Promise<void> {
  await deliveries.revive(name, clock());
  for (;;) {
    const waiting = await deliveries.due(name, Number.MAX_SAFE_INTEGER, AT_ONCE);
    if (waiting.length === 0) return;
    await deliveries.remove(
      name,
      waiting.map(({ place }) => place),
    );
  }
}

const AT_ONCE = 500;

/** Checked settings in the form in which a row holds them: without undefined values. */
function checkedSettings(asked: object, { check }: SettingsHouse): EndpointSettings {
  const checked = check(JSON.parse(JSON.stringify(asked)));
  if ('problems' in checked) throw new Refused(checked.problems.join('\n'), { isUsage: true });
  return checked.settings;
}

async function checkAddress(url: string, { address }: SettingsHouse): Promise<void> {
  const problem = await addressProblem(url, address);
  if (problem !== undefined)
    throw new Refused(`Nothing can be delivered there: ${problem}.`, { isUsage: true });
}

function taken(): Refused {
  return new Refused('There is an endpoint of this name. Take another name, or update that one.');
}
