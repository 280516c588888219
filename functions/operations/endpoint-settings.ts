import { checkEndpoint } from '../config/endpoint.ts';
import { addressProblem } from '../delivery/http/addresses.ts';
import type { EndpointSecret, EndpointSettings } from '../model/endpoint.ts';
import type { EndpointRow } from '../model/endpoint-row.ts';
import { changedHeaders, type EndpointHeaders, headersProblem } from '../model/headers.ts';
import { type EndpointKind, isPulled, KINDS } from '../model/kinds.ts';
import { isSigningSecret, lackingHeader, originOf, readSecretIn } from '../model/secret.ts';
import { checkWatched, filterWarnings } from './check-filter.ts';
import { acted, type OperationOf, type OperationsContext } from './context.ts';
import {
  allEndpoints,
  changeRow,
  claimed,
  type FoundEndpoint,
  findEndpoint,
  released,
  removeDeliveries,
  statusOf,
  unclaimed,
} from './endpoints.ts';
import type { RequestOf } from './protocol/requests.ts';
import { Refused, wrongRequest } from './refused.ts';

/** One endpoint, with its filter, the names of its headers, and whether its signing secret is being rotated. */
export const showEndpoint: OperationOf<'endpoint'> = async (context, { endpoint: name }) => {
  const found = await findEndpoint(context, name);
  const { endpoint, isConfigured } = found;
  const isRotatable = KINDS[endpoint.kind].isSigned && !isConfigured;
  // The rest is shown even if the secret can't be read.
  const { secrets, headers } = await readSecret(context, endpoint).catch(
    () => ({}) as Partial<EndpointSecret>,
  );
  return {
    ...(await statusOf(context, found)),
    ...(isRotatable && secrets && { isRotating: secrets.length > 1 }),
    ...(headers && Object.keys(headers).length > 0 && { headers: Object.keys(headers) }),
  };
};

/** Adds an endpoint. All functions know it within 30 s. The answer has the signing secret if one was generated:
 *  it is shown only here.
 *  @throws Refused when the settings are wrong, the name is taken, or the URL can't receive deliveries */
export const addEndpoint: OperationOf<'add-endpoint'> = async (
  context,
  { operation: _, endpoint: name, kind, url, secrets = [], headers = {}, ...asked },
) => {
  const given = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== null));
  const settings = checkedSettings({ ...given, name, kind });
  await checkWatched(context, settings.filter);
  const { isSigned } = KINDS[kind];
  // File systems that ignore case (macOS, Windows) would keep both secrets in one file.
  const isAlike = ({ endpoint }: FoundEndpoint) => endpoint.name.toLowerCase() === name.toLowerCase();
  if ((await allEndpoints(context)).some(isAlike)) throw nameTaken();
  checkSecrets(kind, secrets);
  checkHeaders(kind, headers);
  checkAddressGiven(kind, { url, headers });
  if (url !== undefined) await checkAddress(context, kind, url);
  const secret = isSigned && secrets.length === 0 ? newSigningSecret(context) : undefined;
  const signing = secret === undefined ? secrets : [secret];
  const warnings = await filterWarnings(context, settings.filter);
  const by = context.newId();
  await context.endpoints.change(name, row => {
    if (row?.settings) throw nameTaken();
    return claimed(row ?? { name, health: {} }, by, context.clock());
  });
  try {
    // Both before the settings are written: a run that reads them needs the secret, and the backlog of an earlier
    // endpoint with this name must not be sent to this one.
    if (url !== undefined)
      await context.secrets.write(name, secretText({ url, ...(isSigned && { secrets: signing }), headers }));
    await removeDeliveries(context, name, by);
    const addedAt = context.clock();
    let isOurs = false;
    await context.endpoints.change(name, row => {
      const isClaimed = row?.secretClaim?.by === by;
      // If the answer to a write was lost, this runs again and finds the row that it wrote.
      isOurs = isClaimed || row?.addedAt === addedAt;
      return isClaimed
        ? { name, settings, health: {}, addedAt, ...(url !== undefined && secretNote(context, { url }, row)) }
        : undefined;
    });
    if (!isOurs) throw nameTaken();
  } catch (error) {
    // Where this fails, too, the claim ends by itself.
    await context.endpoints.change(name, row => unclaimed(row, by)).catch(() => undefined);
    throw error;
  }
  const answer = { endpoint: name, ...(secret !== undefined && { secret }), ...withWarnings(warnings) };
  return acted({ endpoint: name }, answer, [kind, ...headerDetails(headers), ...detailsOf(given)]);
};

/** Changes an endpoint that an operation added; of a configured one, only the address. A key that is missing
 *  stays as it is; null means the default. */
export const updateEndpoint: OperationOf<'update-endpoint'> = async (
  context,
  { operation: _, endpoint: name, url, headers, ...update },
) => {
  const found = await findEndpoint(context, name);
  const { endpoint, isConfigured } = found;
  const isChanged = Object.values(update).some(value => value !== undefined);
  if (isConfigured && isChanged)
    throw new Refused(
      `Endpoint ${name} is defined in the configuration: change it in its "endpoints", then ${context.toApply}.`,
    );
  const checked = checkedSettings(updated(endpoint, update));
  const isFiltered = update.filter !== undefined;
  if (isFiltered) await checkWatched(context, checked.filter);
  const warnings = isFiltered ? await filterWarnings(context, checked.filter) : [];
  if (isPulled(endpoint) && (url !== undefined || headers)) throw new Refused(NO_ADDRESS);
  if (url !== undefined) await checkAddress(context, endpoint.kind, url);
  if (url !== undefined || headers) {
    await changeSecret(context, found, secret => {
      const changed = changedHeaders(secret.headers ?? {}, headers ?? {});
      checkHeaders(endpoint.kind, changed);
      return { ...secret, ...(url !== undefined && { url }), headers: changed };
    });
  }
  if (isChanged)
    await changeRow(context, found, row =>
      row.settings ? { ...row, settings: checkedSettings(updated(row.settings, update)) } : undefined,
    );
  const details = [
    ...(url === undefined ? [] : ['a new address']),
    ...headerDetails(headers ?? {}),
    ...detailsOf(update),
  ];
  const answer = {
    ...(await statusOf(context, await findEndpoint(context, name))),
    ...withWarnings(warnings),
  };
  return acted({ endpoint: name }, answer, details);
};

/** Begins a rotation of the signing secret: events are signed with the new and the old one, so that the receiver
 *  may have either. If called again before it is finished, the new secret is replaced, and the old one stays.
 *  The answer has the secret if one was generated: it is shown only here. */
export const rotateSecret: OperationOf<'rotate-secret'> = async (
  context,
  { endpoint: name, secret: given },
) => {
  const found = await findEndpoint(context, name);
  const { endpoint } = found;
  if (!KINDS[endpoint.kind].isSigned) throw new Refused('This kind of endpoint has no signing secret.');
  const secret = given ?? newSigningSecret(context);
  checkSecrets(endpoint.kind, [secret]);
  await changeSecret(context, found, ({ secrets = [], ...others }) => {
    return { ...others, secrets: [secret, secrets.at(-1) as string] };
  });
  // A given secret is not shown: the caller has it already.
  const [made, how] = given === undefined ? [{ secret }, 'generated'] : [{}, 'given'];
  return acted({ endpoint: name }, { endpoint: name, ...made }, [how]);
};

/** Ends the rotation: events are signed with the new secret only. */
export const finishRotation: OperationOf<'finish-rotation'> = async (context, { endpoint: name }) => {
  const found = await findEndpoint(context, name);
  await changeSecret(context, found, ({ secrets = [], ...others }) => {
    const [secret, old] = secrets;
    if (secret === undefined || old === undefined) throw new Refused('No rotation is in progress.');
    return { ...others, secrets: [secret] };
  });
  return acted({ endpoint: name }, { endpoint: name });
};

/** The settings that a request changes. */
type Update = Omit<RequestOf<'update-endpoint'>, 'operation' | 'endpoint' | 'url' | 'headers'>;

function updated(settings: EndpointSettings, update: Update): object {
  const given = Object.entries(update).filter(([, value]) => value !== undefined);
  const merged = Object.entries({ ...settings, ...Object.fromEntries(given) });
  return Object.fromEntries(merged.filter(([, value]) => value !== null));
}

function withWarnings(warnings: readonly string[]) {
  return warnings.length > 0 && { warnings: [...warnings] };
}

/** A filter may contain values of records, and addresses are personal data, so only their presence is recorded. */
function detailsOf({ filter, from, to, ...others }: Readonly<Record<string, unknown>>): string[] {
  return [
    ...(filter === undefined ? [] : [filter === null ? 'no filter' : 'a filter']),
    ...(from === undefined ? [] : ['a sender']),
    ...(to === undefined ? [] : ['recipients']),
    ...Object.entries(others).flatMap(([key, value]) =>
      value === undefined ? [] : [`${key} ${value ?? 'by default'}`],
    ),
  ];
}

/** Checked settings in the form in which a row holds them: without undefined values. */
function checkedSettings(asked: object): EndpointSettings {
  const checked = checkEndpoint(JSON.parse(JSON.stringify(asked)));
  if ('problems' in checked) throw wrongRequest(checked.problems.join('\n'));
  return checked.settings;
}

async function checkAddress({ address }: OperationsContext, kind: EndpointKind, url: string): Promise<void> {
  const problem = await addressProblem(url, { ...address, kind });
  if (problem !== undefined) throw wrongRequest(`url: Cannot deliver to this endpoint: ${problem}.`);
}

function nameTaken(): Refused {
  return new Refused(
    'There is an endpoint of this name already. Choose another name, not only in other case, or update it.',
  );
}

const SECRET_BYTES = 32;

function newSigningSecret({ randomBytes }: OperationsContext): string {
  return `whsec_${Buffer.from(randomBytes(SECRET_BYTES)).toString('base64')}`;
}

const NO_ADDRESS = 'An endpoint of kind pull has no address and no headers: a consumer takes its events.';

function checkAddressGiven(
  kind: EndpointKind,
  { url, headers }: { readonly url: string | undefined; readonly headers: EndpointHeaders },
): void {
  if (isPulled({ kind }) ? url !== undefined || Object.keys(headers).length > 0 : url === undefined)
    throw wrongRequest(isPulled({ kind }) ? NO_ADDRESS : 'url: this kind of endpoint needs an address.');
}

/** @throws Refused for texts that are not signing secrets, and for signing secrets of a chat */
function checkSecrets(kind: EndpointKind, secrets: readonly string[]): void {
  if (!KINDS[kind].isSigned && secrets.length > 0)
    throw wrongRequest('This kind of endpoint takes no signing secret: leave it out.');
  if (secrets.length > 2)
    throw wrongRequest('An endpoint has two signing secrets at most: the new one and the old one.');
  if (!secrets.every(isSigningSecret))
    throw wrongRequest(
      'A signing secret is whsec_ followed by the base64 of 24 to 64 bytes. Omit it to have one generated.',
    );
}

/** @throws Refused for headers that can't be sent */
function checkHeaders(kind: EndpointKind, headers: EndpointHeaders): void {
  if (KINDS[kind].isMail && Object.keys(headers).length > 0)
    throw wrongRequest('headers: A mail takes no headers: leave them out.');
  const lacking = lackingHeader(kind, headers);
  const problem =
    headersProblem(headers) ?? (lacking === undefined ? undefined : `this kind of endpoint needs ${lacking}`);
  if (problem !== undefined) throw wrongRequest(`headers: ${problem}.`);
}

/** The names alone. */
function headerDetails(headers: Readonly<Record<string, string | null>>): string[] {
  return Object.entries(headers).map(
    ([name, value]) => `${value === null ? 'no header' : 'the header'} ${name}`,
  );
}

/** A parameter of Parameter Store holds this much. */
const MAX_SECRET_BYTES = 4096;

function secretText({ headers = {}, ...secret }: EndpointSecret): string {
  const text = JSON.stringify({ ...secret, ...(Object.keys(headers).length > 0 && { headers }) });
  if (Buffer.byteLength(text) <= MAX_SECRET_BYTES) return text;
  throw wrongRequest(`headers: the address and the headers have ${MAX_SECRET_BYTES} characters at most.`);
}

/** Changes the secret of an endpoint. Its row gets a new revision, so that all runs read the secret again.
 *  @throws Refused while another operation changes it */
async function changeSecret(
  context: OperationsContext,
  found: FoundEndpoint,
  change: (secret: EndpointSecret) => EndpointSecret,
): Promise<void> {
  const by = context.newId();
  await changeRow(context, found, row => claimed(row, by, context.clock()));
  let secret: EndpointSecret | undefined;
  try {
    secret = change(await readSecret(context, found.endpoint));
    await context.secrets.write(found.endpoint.name, secretText(secret));
  } finally {
    await changeRow(context, found, row => ({
      ...released(row, by),
      ...(secret && secretNote(context, secret, row)),
    }));
  }
}

function secretNote(
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
  endpoint: Pick<EndpointSettings, 'name' | 'kind'>,
): Promise<EndpointSecret> {
  try {
    return await readSecretIn(secrets, endpoint);
  } catch (error) {
    throw new Refused((error as Error).message);
  }
}
