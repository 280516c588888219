import type { EventType } from '../model/event.ts';
import { wants } from '../model/filter.ts';
import { iso } from './cursor.ts';
import { type Done, didTo, only } from './done.ts';
import { countOf } from './endpoint-status.ts';
import { checkTypes, MOST_MS, MOST_RECORDS } from './events.ts';
import { checkConfigured } from './find-process.ts';
import { findEndpoint } from './house.ts';
import { COUNTED, type OperationsHouse } from './operations-house.ts';
import type { AnswerOf } from './protocol/answers.ts';
import type { RequestOf } from './protocol/requests.ts';
import { Refused } from './refused.ts';
import { type AskedReplay, cancelReplay, checkReplay, startReplay } from './replay.ts';
import { resend as resendOne, reviveAll } from './resend.ts';
import { findEvent } from './trace.ts';

export async function resend(
  { eventId, to }: RequestOf<'resend'>,
  house: OperationsHouse,
): Promise<Done<AnswerOf<'resend'>>> {
  await findEndpoint(to, house);
  const resent = await resendOne(eventId, to, house);
  if (!('closed' in resent)) {
    await findEvent(eventId, house);
    throw new Refused('The endpoint was removed meanwhile.');
  }
  const { answer: result, closed } = resent;
  const answer = { endpoint: to, eventId, result, ...(closed && { closed }) };
  return result === 'sent' ? didTo(to, answer, [`event ${eventId}`]) : only(answer);
}

export async function resendDead(
  { to, dryRun = false }: RequestOf<'resend-dead'>,
  house: OperationsHouse,
): Promise<Done<AnswerOf<'resend-dead'>>> {
  const found = await findEndpoint(to, house);
  if (dryRun) {
    const { dead } = await house.deliveries.standing(to, COUNTED);
    return only({ endpoint: to, deliveries: countOf(dead), dryRun });
  }
  const revived = await reviveAll(found, COUNTED, house);
  const left = (await house.deliveries.dead(to, 1)).length > 0;
  const answer = { endpoint: to, deliveries: { atLeast: revived, isExact: !left }, dryRun };
  return revived > 0 ? didTo(to, answer, [`${revived} deliveries`]) : only(answer);
}

export async function replay(
  { to, dryRun = false, ...asked }: RequestOf<'replay'>,
  house: OperationsHouse,
): Promise<Done<AnswerOf<'replay'>>> {
  const { since, until, types, processes } = asked;
  checkTypes(types);
  for (const process of processes ?? []) await checkConfigured(process, house);
  const stretch = {
    endpoint: to,
    since: Date.parse(since),
    ...(until !== undefined && { until: Date.parse(until) }),
    ...(types && { types }),
    ...(processes && { processes }),
  };
  if (dryRun) return only(await rehearse(stretch, house));
  const begun = await startReplay(stretch, house);
  const times = { since: iso(begun.since), until: iso(begun.until) };
  return didTo(to, { endpoint: to, ...times, dryRun }, [
    `since ${times.since}`,
    `until ${times.until}`,
    ...(types ? [`types ${types.join(' ')}`] : []),
    ...(processes ? [`processes ${processes.join(' ')}`] : []),
  ]);
}

/** Counts the events that the endpoint would get, as far as one page of events reads. */
async function rehearse(asked: AskedReplay, house: OperationsHouse): Promise<AnswerOf<'replay'>> {
  const { found, since, until } = await checkReplay(asked, house);
  const all = await house.processes();
  const { types, processes } = asked;
  const filters = [found.endpoint.filter ?? {}, { ...(types && { events: types as EventType[] }) }];
  const began = house.clock();
  const search = {
    order: 'oldest-first' as const,
    ...{ since, until },
    ...(processes && { processes: all.filter(({ processId }) => processes.includes(processId)) }),
  };
  let [events, read, isExact] = [0, 0, true];
  for await (const record of house.journal.search(search)) {
    if (read >= MOST_RECORDS || house.clock() - began >= MOST_MS) {
      isExact = false;
      break;
    }
    read += 1;
    events += record.events().filter(event => filters.every(filter => wants(filter, event))).length;
  }
  const times = { since: iso(since), until: iso(until) };
  return { endpoint: asked.endpoint, ...times, events: { atLeast: events, isExact }, dryRun: true };
}

export async function cancel(
  { to }: RequestOf<'cancel-replay'>,
  house: OperationsHouse,
): Promise<Done<AnswerOf<'cancel-replay'>>> {
  const cancelled = await cancelReplay(to, house);
  const added = cancelled?.added ?? 0;
  const answer = { endpoint: to, wasUnderWay: cancelled !== undefined, added };
  return cancelled ? didTo(to, answer, [`${added} deliveries had been added`]) : only(answer);
}
