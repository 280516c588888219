import type { EndpointSecret } from '../model/endpoint.ts';
import type { EndpointRow } from '../model/endpoint-row.ts';
import { type EndpointKind, KINDS } from '../model/kinds.ts';
import { isSigningSecret, originOf, parseSecret } from '../model/secret.ts';
import { type Acted, type OperationsContext, onEndpoint } from './context.ts';
import { changeRow, type Found, findEndpoint } from './endpoints.ts';
import type { AnswerOf } from './protocol/answers.ts';
import type { RequestOf } from './protocol/requests.ts';
import { Refused } from './refused.ts';

/** The length of a signing secret that is made, in bytes. */
const SECRET_BYTES = 32;

export function newSigningSecret({ randomBytes }: OperationsContext): string {
  return `whsec_${Buffer.from(randomBytes(SECRET_BYTES)).toString('base64')}`;
}

/** @throws Refused for texts that are not signing secrets, and for signing secrets of a chat */
export function checkSecrets(kind: EndpointKind, secrets: readonly string[]): void {
  if (!KINDS[kind].isSigned && secrets.length > 0)
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

export async function writeSecret(
  { secrets }: OperationsContext,
  name: string,
  secret: EndpointSecret,
): Promise<void> {
  await secrets.write(name, JSON.stringify(secret));
}

/** Replaces the secret of an endpoint. Its row gets a new revision, so that all runs read the secret again. */
export async function changeSecret(
  context: OperationsContext,
  found: Found,
  secret: EndpointSecret,
): Promise<void> {
  await writeSecret(context, found.endpoint.name, secret);
  await changeRow(context, found, row => ({ ...row, ...noteOf(context, secret, row) }));
}

/** What an endpoint's row gets when its secret was written. */
export function noteOf(
  { clock }: OperationsContext,
  secret: Pick<EndpointSecret, 'url'>,
  row: EndpointRow | undefined,
): Pick<EndpointRow, 'secretRevision' | 'origin'> {
  return { secretRevision: Math.max(clock(), (row?.secretRevision ?? 0) + 1), origin: originOf(secret) };
}

/** The address and signing secrets of an endpoint. @throws Refused that names what is wrong, and the
 *  remedy */
export async function readSecret(
  { secrets }: OperationsContext,
  endpoint: { readonly name: string; readonly kind: EndpointKind },
): Promise<EndpointSecret> {
  // The store's error is dropped: its message could quote a request.
  const text = await secrets.read(endpoint.name).catch(() => '');
  try {
    return parseSecret(endpoint, secrets, text);
  } catch (error) {
    throw new Refused((error as Error).message);
  }
}

/** Whether the signing secret of an endpoint is being changed; empty for one that has none, or whose secret
 *  can't be read. */
export async function rotationOf(
  context: OperationsContext,
  name: string,
): Promise<{ readonly isRotating?: boolean }> {
  const { endpoint, isConfigured } = await findEndpoint(context, name);
  if (!KINDS[endpoint.kind].isSigned || isConfigured) return {};
  const secret = await readSecret(context, endpoint).catch(() => undefined);
  return secret ? { isRotating: (secret.secrets ?? []).length > 1 } : {};
}

/** Begins to change the signing secret: from now on events are signed with the new one and the old one, so
 *  that the receiver may have either. If called again before the change is finished, the new secret is
 *  replaced, and the old one stays. The answer has the secret, if one was made: it is shown only here. */
export async function rotateSecret(
  context: OperationsContext,
  { endpoint: name, secret: given }: RequestOf<'rotate-secret'>,
): Promise<Acted<AnswerOf<'rotate-secret'>>> {
  const found = await findEndpoint(context, name);
  const { endpoint } = found;
  if (!KINDS[endpoint.kind].isSigned)
    throw new Refused('A chat has no signing secret: change its URL instead.');
  const { url, secrets = [] } = await readSecret(context, endpoint);
  const secret = given ?? newSigningSecret(context);
  checkSecrets(endpoint.kind, [secret]);
  await changeSecret(context, found, { url, secrets: [secret, secrets.at(-1) as string] });
  // A given secret is not shown: the caller has it already.
  const made = given === undefined ? { secret } : {};
  return onEndpoint(name, { endpoint: name, ...made }, [
    given === undefined ? 'one was made' : 'one was given',
  ]);
}

/** Ends the change: from now on events are signed with the new secret alone. */
export async function finishRotation(
  context: OperationsContext,
  { endpoint: name }: RequestOf<'finish-rotation'>,
): Promise<Acted<AnswerOf<'finish-rotation'>>> {
  const found = await findEndpoint(context, name);
  const { url, secrets = [] } = await readSecret(context, found.endpoint);
  const [secret, old] = secrets;
  if (secret === undefined || old === undefined)
    throw new Refused('Its signing secret is not being changed: there is one alone.');
  await changeSecret(context, found, { url, secrets: [secret] });
  return onEndpoint(name, { endpoint: name });
}
