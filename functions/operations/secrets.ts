import type { EndpointKind, EndpointSecret } from '../model/endpoint.ts';
import { isSigningSecret, originOf, parseSecret, type SecretKeeper } from '../model/secret.ts';
import type { EndpointRow } from '../store/endpoint-rows.ts';
import { changeRow, type Found, findEndpoint, type House } from './house.ts';
import { Refused } from './refused.ts';

export interface SecretHouse {
  readonly secrets: SecretKeeper;
  /** `size` unpredictable bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
}

/** The length of a signing secret that is made, in bytes. */
const BYTES = 32;

export function newSigningSecret(randomBytes: SecretHouse['randomBytes']): string {
  return `whsec_${Buffer.from(randomBytes(BYTES)).toString('base64')}`;
}

/** @throws Refused for texts that are no signing secrets, and for signing secrets of a chat */
export function checkSecrets(kind: EndpointKind, secrets: readonly string[]): void {
  if (kind !== 'webhook' && secrets.length > 0)
    throw new Refused('A chat takes no signing secret: leave it out.', { isUsage: true });
  if (secrets.length > 2)
    throw new Refused('An endpoint has two signing secrets at most: the new one and the old one.', {
      isUsage: true,
    });
  if (!secrets.every(isSigningSecret))
    throw new Refused(
      'A signing secret is whsec_ and the base64 of 24 to 64 bytes. Without one, one is made.',
      { isUsage: true },
    );
}

export async function writeSecret(name: string, secret: EndpointSecret, house: SecretHouse): Promise<void> {
  await house.secrets.write(name, JSON.stringify(secret));
}

/** Replaces the secret of an endpoint, and has all runs read it again: its row gets a new revision. */
export async function changeSecret(
  found: Found,
  secret: EndpointSecret,
  house: House & SecretHouse,
): Promise<void> {
  await writeSecret(found.endpoint.name, secret, house);
  await changeRow(found, house, row => ({ ...row, ...noteOf(secret, row, house) }));
}

/** What an endpoint's row gets when its secret was written. */
export function noteOf(
  secret: Pick<EndpointSecret, 'url'>,
  row: EndpointRow | undefined,
  { clock }: Pick<House, 'clock'>,
): Pick<EndpointRow, 'secretRevision' | 'origin'> {
  return { secretRevision: Math.max(clock(), (row?.secretRevision ?? 0) + 1), origin: originOf(secret) };
}

/** The address and signing secrets of an endpoint. @throws Refused that names what is wrong, and the
 *  remedy */
export async function readSecret(
  endpoint: { readonly name: string; readonly kind: EndpointKind },
  { secrets }: SecretHouse,
): Promise<EndpointSecret> {
  // The store's error is dropped: its message could quote a request.
  const text = await secrets.read(endpoint.name).catch(() => '');
  try {
    return parseSecret(endpoint, secrets, text);
  } catch (error) {
    throw new Refused((error as Error).message);
  }
}

/** Begins to change the signing secret: from now on events are signed with the new one and the old one, so
 *  that the receiver may have either. If called again before the change is finished, it makes another new
 *  one, and the old one stays.
 *  @returns the new secret, which is shown only here */
export async function rotateSecret(
  name: string,
  house: House & SecretHouse,
  given?: string,
): Promise<{ readonly secret: string }> {
  const found = await findEndpoint(name, house);
  const { endpoint } = found;
  if (endpoint.kind !== 'webhook') throw new Refused('A chat has no signing secret: change its URL instead.');
  const { url, secrets = [] } = await readSecret(endpoint, house);
  const secret = given ?? newSigningSecret(house.randomBytes);
  checkSecrets(endpoint.kind, [secret]);
  await changeSecret(found, { url, secrets: [secret, secrets.at(-1) as string] }, house);
  return { secret };
}

/** Whether the signing secret of an endpoint is being changed; nothing for one that has none, or whose secret can't be read. */
export async function rotationOf(
  name: string,
  house: House & SecretHouse,
): Promise<{ readonly isRotating?: boolean }> {
  const { endpoint, isConfigured } = await findEndpoint(name, house);
  if (endpoint.kind !== 'webhook' || isConfigured) return {};
  const secret = await readSecret(endpoint, house).catch(() => undefined);
  return secret ? { isRotating: (secret.secrets ?? []).length > 1 } : {};
}

/** Ends the change: from now on events are signed with the new secret alone. */
export async function finishRotation(name: string, house: House & SecretHouse): Promise<void> {
  const found = await findEndpoint(name, house);
  const { url, secrets = [] } = await readSecret(found.endpoint, house);
  const [secret, old] = secrets;
  if (secret === undefined || old === undefined)
    throw new Refused('Its signing secret is not being changed: there is one alone.');
  await changeSecret(found, { url, secrets: [secret] }, house);
}
