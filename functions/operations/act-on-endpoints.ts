import type { EndpointSettings } from '../model/endpoint.ts';
import { attemptAnswer } from './attempts.ts';
import { type Done, didTo, only } from './done.ts';
import { countsOf, statusOfEndpoint } from './endpoint-status.ts';
import {
  addEndpoint,
  checkRemovable,
  finishRotation,
  pauseEndpoint,
  removeEndpoint,
  resumeEndpoint,
  rotateSecret,
  updateEndpoint,
} from './endpoints.ts';
import { COUNTED, type OperationsHouse } from './operations-house.ts';
import type { AnswerOf } from './protocol/answers.ts';
import type { EndpointStatus } from './protocol/endpoints.ts';
import type { RequestOf } from './protocol/requests.ts';
import { testEndpoint } from './test-event.ts';

type Filter = EndpointSettings['filter'];

export async function add(
  { operation: _, endpoint, filter, perSecond, keepSuccesses, ...asked }: RequestOf<'add-endpoint'>,
  house: OperationsHouse,
): Promise<Done<AnswerOf<'add-endpoint'>>> {
  const settings = {
    filter: (filter ?? undefined) as Filter,
    perSecond: perSecond ?? undefined,
    keepSuccesses: keepSuccesses ?? undefined,
  };
  const { secret, warnings } = await addEndpoint({ ...asked, name: endpoint, ...settings }, house);
  const answer = { endpoint, ...(secret !== undefined && { secret }), ...warned(warnings) };
  return didTo(endpoint, answer, [asked.kind, ...detailsOf(settings)]);
}

export async function update(
  { endpoint, url, filter, perSecond, keepSuccesses }: RequestOf<'update-endpoint'>,
  house: OperationsHouse,
): Promise<Done<AnswerOf<'update-endpoint'>>> {
  const changed = { filter: filter as Filter | null, perSecond, keepSuccesses };
  const { warnings } = await updateEndpoint(endpoint, { url, ...changed }, house);
  const details = [...(url === undefined ? [] : ['a new address']), ...detailsOf(changed)];
  return didTo(endpoint, { ...(await statusOfEndpoint(endpoint, house)), ...warned(warnings) }, details);
}

function warned(warnings: readonly string[]) {
  return warnings.length > 0 && { warnings: [...warnings] };
}

/** A filter may name values of records, so that only its presence is noted. */
function detailsOf({ filter, perSecond, keepSuccesses }: Settings): string[] {
  return [
    ...(filter === undefined ? [] : [filter === null ? 'no filter' : 'a filter']),
    ...(perSecond === undefined ? [] : [`perSecond ${perSecond ?? 'by default'}`]),
    ...(keepSuccesses === undefined ? [] : [`keepSuccesses ${keepSuccesses ?? 'by default'}`]),
  ];
}

interface Settings {
  readonly filter: unknown;
  readonly perSecond: number | null | undefined;
  readonly keepSuccesses: boolean | null | undefined;
}

export async function pause(
  { endpoint }: RequestOf<'pause-endpoint'>,
  house: OperationsHouse,
): Promise<Done<EndpointStatus>> {
  await pauseEndpoint(endpoint, house);
  return didTo(endpoint, await statusOfEndpoint(endpoint, house));
}

export async function resume(
  { endpoint }: RequestOf<'resume-endpoint'>,
  house: OperationsHouse,
): Promise<Done<EndpointStatus>> {
  await resumeEndpoint(endpoint, house);
  return didTo(endpoint, await statusOfEndpoint(endpoint, house));
}

/** Removes an endpoint with its waiting deliveries and dead letters, and says how many these were. */
export async function remove(
  { endpoint, dryRun = false }: RequestOf<'remove-endpoint'>,
  house: OperationsHouse,
): Promise<Done<AnswerOf<'remove-endpoint'>>> {
  if (dryRun) await checkRemovable(endpoint, house);
  const counts = countsOf(await house.deliveries.standing(endpoint, COUNTED));
  const answer = { endpoint, ...counts, dryRun };
  if (dryRun) return only(answer);
  await removeEndpoint(endpoint, house);
  const { waiting, dead } = counts;
  return didTo(endpoint, answer, [
    `${waiting.atLeast}${waiting.isExact ? '' : ' or more'} that waited`,
    `${dead.atLeast}${dead.isExact ? '' : ' or more'} dead letters`,
  ]);
}

export async function rotate(
  { endpoint, secret: given }: RequestOf<'rotate-secret'>,
  house: OperationsHouse,
): Promise<Done<AnswerOf<'rotate-secret'>>> {
  const { secret } = await rotateSecret(endpoint, house, given);
  // A given secret is not shown: the caller has it already.
  const made = given === undefined ? { secret } : {};
  return didTo(endpoint, { endpoint, ...made }, [given === undefined ? 'one was made' : 'one was given']);
}

export async function finish(
  { endpoint }: RequestOf<'finish-rotation'>,
  house: OperationsHouse,
): Promise<Done<AnswerOf<'finish-rotation'>>> {
  await finishRotation(endpoint, house);
  return didTo(endpoint, { endpoint });
}

export async function test(
  { endpoint }: RequestOf<'test-endpoint'>,
  house: OperationsHouse,
): Promise<Done<AnswerOf<'test-endpoint'>>> {
  const attempt = await testEndpoint(endpoint, house);
  return didTo(endpoint, attemptAnswer(attempt), [attempt.failure ?? `answered ${attempt.status}`]);
}
