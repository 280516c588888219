import { isDeepStrictEqual } from 'node:util';
import type { Deliveries } from '../delivery/deliveries.ts';
import { type AddressCheck, addressProblem } from '../endpoints/check-address.ts';
import type { EndpointSettings } from '../endpoints/endpoint.ts';
import { changeRow, findEndpoint, type House } from './house.ts';
import { Refused } from './refused.ts';
import { checkSecrets, newSigningSecret, readSecret, type SecretHouse, writeSecret } from './secrets.ts';

export interface SettingsHouse extends House, SecretHouse {
  /** Settings as the configuration would have them, or what is wrong with them, one line each. The address is checked here. */
  readonly check: (settings: unknown) => Checked;
  readonly address: AddressCheck;
}

/** Settings as they are kept, or what is wrong with them. */
export type Checked = { readonly settings: EndpointSettings } | { readonly problems: readonly string[] };

/** An endpoint that people ask for. */
export interface AskedEndpoint extends EndpointSettings {
  readonly url: string;
  /** Of a webhook: one, or two; one is made when none is given. */
  readonly secrets?: readonly string[] | undefined;
}

/** Adds an endpoint. Every function knows it within 30 s.
 *  @returns the signing secret that was made, which is shown only here
 *  @throws Refused when it can't be, for one that is there, and for one that could get nothing */
export async function addEndpoint(
  { url, secrets = [], ...asked }: AskedEndpoint,
  house: SettingsHouse,
): Promise<{ readonly secret: string | undefined }> {
  const settings = checkedSettings(asked, house);
  const { name, kind } = settings;
  if (house.configured.some(endpoint => endpoint.name === name) || (await house.rows.read(name))?.settings)
    throw taken();
  checkSecrets(kind, secrets);
  await checkAddress(url, house);
  const made = kind === 'webhook' && secrets.length === 0 ? newSigningSecret(house.randomBytes) : undefined;
  const signing = made === undefined ? secrets : [made];
  // Who finds the row finds its secret; and nothing that was meant for an earlier endpoint of this name.
  await writeSecret(name, { url, ...(kind === 'webhook' && { secrets: signing }) }, house);
  await forget(name, house);
  let isOurs = false;
  await house.rows.change(name, row => {
    // An answer that was lost has it decided again, when the row is there already.
    isOurs = row?.settings === undefined || isDeepStrictEqual(row.settings, settings);
    return isOurs ? { name, settings, health: {} } : undefined;
  });
  if (!isOurs) throw taken();
  return { secret: made };
}

/** What may be changed of an endpoint; what is not given stays, null is the default. */
export type Update = {
  readonly [Key in 'filter' | 'perSecond' | 'keepSuccesses']?: EndpointSettings[Key] | null;
} & { readonly url?: string | undefined };

/** Changes an endpoint that was added while it ran; of one of the configuration, only its address.
 *  @returns its settings as they are then */
export async function updateEndpoint(
  name: string,
  { url, ...update }: Update,
  house: SettingsHouse,
): Promise<EndpointSettings> {
  const found = await findEndpoint(name, house);
  const { endpoint, isConfigured } = found;
  const isChanged = Object.values(update).some(value => value !== undefined);
  if (isConfigured && isChanged)
    throw new Refused('This endpoint stands in the configuration: change it there, and deploy.');
  checkedSettings(updated(endpoint, update), house);
  if (url !== undefined) {
    await checkAddress(url, house);
    await writeSecret(name, { ...(await readSecret(endpoint, house)), url }, house);
  }
  if (!isChanged) return endpoint;
  const row = await changeRow(found, house, row =>
    row.settings ? { ...row, settings: checkedSettings(updated(row.settings, update), house) } : undefined,
  );
  return row.settings ?? endpoint;
}

function updated(settings: EndpointSettings, update: Omit<Update, 'url'>): object {
  const given = Object.entries(update).filter(([, value]) => value !== undefined);
  const merged = Object.entries({ ...settings, ...Object.fromEntries(given) });
  return Object.fromEntries(merged.filter(([, value]) => value !== null));
}

/** All that waited for an endpoint, or was given up, goes: nobody else of this name is to get it. */
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

/** As a row holds them, where nothing is undefined. */
function checkedSettings(asked: object, { check }: SettingsHouse): EndpointSettings {
  const checked = check(JSON.parse(JSON.stringify(asked)));
  if ('problems' in checked) throw new Refused(checked.problems.join('\n'));
  return checked.settings;
}

async function checkAddress(url: string, { address }: SettingsHouse): Promise<void> {
  const problem = await addressProblem(url, address);
  if (problem !== undefined) throw new Refused(`Nothing can be delivered there: ${problem}.`);
}

function taken(): Refused {
  return new Refused('There is an endpoint of this name. Take another name, or update that one.');
}
