import { isDeepStrictEqual } from 'node:util';
import { addressProblem } from '../delivery/http/check-address.ts';
import type { EndpointSettings } from '../model/endpoint.ts';
import { KINDS } from '../model/kinds.ts';
import { checkWatched, filterWarnings } from './check-filter.ts';
import { type Acted, type OperationsContext, onEndpoint } from './context.ts';
import { changeRow, findEndpoint, removeDeliveries, statusOfEndpoint } from './endpoints.ts';
import type { AnswerOf } from './protocol/answers.ts';
import type { RequestOf } from './protocol/requests.ts';
import { Refused } from './refused.ts';
import {
  changeSecret,
  checkSecrets,
  newSigningSecret,
  noteOf,
  readSecret,
  rotationOf,
  writeSecret,
} from './secrets.ts';

/** One endpoint, with its filter and whether its signing secret is being changed. */
export async function showEndpoint(
  context: OperationsContext,
  { endpoint }: RequestOf<'endpoint'>,
): Promise<AnswerOf<'endpoint'>> {
  return { ...(await statusOfEndpoint(context, endpoint)), ...(await rotationOf(context, endpoint)) };
}

/** Adds an endpoint. All functions know it within 30 s. The answer has the signing secret, if one was made:
 *  it is shown only here.
 *  @throws Refused when the settings are wrong, the name is taken, or nothing could be delivered there */
export async function addEndpoint(
  context: OperationsContext,
  { operation: _, endpoint: name, kind, url, secrets = [], ...asked }: RequestOf<'add-endpoint'>,
): Promise<Acted<AnswerOf<'add-endpoint'>>> {
  const given = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== null));
  const settings = checkedSettings(context, { ...given, name, kind });
  await checkWatched(context, settings.filter);
  const { isSigned } = KINDS[kind];
  if (
    context.configured.some(endpoint => endpoint.name === name) ||
    (await context.rows.read(name))?.settings
  )
    throw taken();
  checkSecrets(kind, secrets);
  await checkAddress(context, url);
  const secret = isSigned && secrets.length === 0 ? newSigningSecret(context) : undefined;
  const signing = secret === undefined ? secrets : [secret];
  const warnings = await filterWarnings(context, settings.filter);
  // Both before the row is written: whoever reads the row needs the secret, and the backlog of an earlier
  // endpoint of this name must not be sent to this one.
  await writeSecret(context, name, { url, ...(isSigned && { secrets: [...signing] }) });
  await removeDeliveries(context, name);
  let isOurs = false;
  await context.rows.change(name, row => {
    // If the answer to a write was lost, this runs again and finds the row that it wrote.
    isOurs = row?.settings === undefined || isDeepStrictEqual(row.settings, settings);
    const addedAt = context.clock();
    return isOurs ? { name, settings, health: {}, addedAt, ...noteOf(context, { url }, row) } : undefined;
  });
  if (!isOurs) throw taken();
  const answer = { endpoint: name, ...(secret !== undefined && { secret }), ...warned(warnings) };
  return onEndpoint(name, answer, [kind, ...detailsOf(given)]);
}

/** Changes an endpoint that an operation added; of a configured one, only the address. A key that is missing
 *  stays as it is; null means the default. */
export async function updateEndpoint(
  context: OperationsContext,
  { operation: _, endpoint: name, url, ...update }: RequestOf<'update-endpoint'>,
): Promise<Acted<AnswerOf<'update-endpoint'>>> {
  const found = await findEndpoint(context, name);
  const { endpoint, isConfigured } = found;
  const isChanged = Object.values(update).some(value => value !== undefined);
  if (isConfigured && isChanged)
    throw new Refused(`This endpoint stands in the configuration: change it there, and ${context.toApply}.`);
  const checked = checkedSettings(context, updated(endpoint, update));
  const isFiltered = update.filter !== undefined;
  if (isFiltered) await checkWatched(context, checked.filter);
  const warnings = isFiltered ? await filterWarnings(context, checked.filter) : [];
  if (url !== undefined) {
    await checkAddress(context, url);
    await changeSecret(context, found, { ...(await readSecret(context, endpoint)), url });
  }
  if (isChanged)
    await changeRow(context, found, row =>
      row.settings
        ? { ...row, settings: checkedSettings(context, updated(row.settings, update)) }
        : undefined,
    );
  const details = [...(url === undefined ? [] : ['a new address']), ...detailsOf(update)];
  return onEndpoint(name, { ...(await statusOfEndpoint(context, name)), ...warned(warnings) }, details);
}

/** The settings that a request changes. */
type Update = Omit<RequestOf<'update-endpoint'>, 'operation' | 'endpoint' | 'url'>;

function updated(settings: EndpointSettings, update: Update): object {
  const given = Object.entries(update).filter(([, value]) => value !== undefined);
  const merged = Object.entries({ ...settings, ...Object.fromEntries(given) });
  return Object.fromEntries(merged.filter(([, value]) => value !== null));
}

function warned(warnings: readonly string[]) {
  return warnings.length > 0 && { warnings: [...warnings] };
}

/** A filter may name values of records, so that only its presence is noted. */
function detailsOf({ filter, ...others }: Readonly<Record<string, unknown>>): string[] {
  return [
    ...(filter === undefined ? [] : [filter === null ? 'no filter' : 'a filter']),
    ...Object.entries(others).flatMap(([key, value]) =>
      value === undefined ? [] : [`${key} ${value ?? 'by default'}`],
    ),
  ];
}

/** Checked settings in the form in which a row holds them: without undefined values. */
function checkedSettings({ check }: OperationsContext, asked: object): EndpointSettings {
  const checked = check(JSON.parse(JSON.stringify(asked)));
  if ('problems' in checked) throw new Refused(checked.problems.join('\n'), { isUsage: true });
  return checked.settings;
}

async function checkAddress({ address }: OperationsContext, url: string): Promise<void> {
  const problem = await addressProblem(url, address);
  if (problem !== undefined)
    throw new Refused(`Nothing can be delivered there: ${problem}.`, { isUsage: true });
}

function taken(): Refused {
  return new Refused('There is an endpoint of this name. Take another name, or update that one.');
}
