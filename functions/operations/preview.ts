import { testEvent } from '../changes/build-events.ts';
import { serialise, withoutRecords } from '../changes/fit-event.ts';
import { headersOf } from '../delivery/http/post.ts';
import type { EndpointSecret, EndpointSettings } from '../model/endpoint.ts';
import { isErased } from '../model/erase.ts';
import type { ChangeEvent, SentEvent } from '../model/event.ts';
import { wants } from '../model/filter.ts';
import { isPulled } from '../model/kinds.ts';
import { whyLeftOut } from '../model/left-out.ts';
import { gathering, isUrgent } from '../model/windows.ts';
import { whyUnmet } from './check-filter.ts';
import type { OperationOf, OperationsContext } from './context.ts';
import { readSecret } from './endpoint-settings.ts';
import { findEndpoint, nextMessageOf } from './endpoints.ts';
import { findEvent } from './events.ts';
import { iso, searchJournal, WHOLE_JOURNAL } from './page.ts';
import { Refused } from './refused.ts';

interface Previewed {
  readonly event: SentEvent;
  /** When it was committed, in ms since 1970; undefined for a sample. */
  readonly at?: number;
  readonly leftOut?: string | undefined;
}

/** What an endpoint gets for an event: one of the journal; without its id the last one that the filter selects, or a
 *  test event without one. Sends nothing, and shows no secret.
 *  @throws Refused for an event that is not in the journal, was erased, or can't be rendered */
export const previewEvent: OperationOf<'preview'> = async (context, { endpoint: name, eventId }) => {
  const { endpoint, row } = await findEndpoint(context, name);
  const now = context.clock();
  const health = row?.health ?? {};
  const next = { ...health, window: gathering(endpoint, health.window, now) };
  const { event, at, leftOut } =
    eventId === undefined ? await lastWanted(context, endpoint) : await found(context, endpoint, eventId);
  return {
    ...{ endpoint: name, kind: endpoint.kind, event: { id: event.id, type: event.type } },
    ...(at === undefined ? { isSample: true } : { committedAt: iso(at), isSample: false }),
    ...(leftOut !== undefined ? { leftOut } : isUrgent(event) ? {} : nextMessageOf(endpoint, next, now)),
    ...(isPulled(endpoint) ? { body: taken(event, endpoint) } : await request(context, endpoint, event)),
  };
};

async function found(
  context: OperationsContext,
  { filter = {} }: EndpointSettings,
  eventId: string,
): Promise<Previewed> {
  const { event, at } = await findEvent(context, eventId);
  if (isErased(event)) throw new Refused('The contents of this event were erased: choose another event.');
  const reason = whyLeftOut(filter, event);
  return { event, at, leftOut: reason && (await whyUnmet(context, filter, reason)) };
}

async function lastWanted(
  context: OperationsContext,
  { name, filter = {} }: EndpointSettings,
): Promise<Previewed> {
  let last: { readonly event: ChangeEvent; readonly at: number } | undefined;
  await searchJournal(context, WHOLE_JOURNAL, record => {
    const event = record.events().findLast(each => !isErased(each) && wants(filter, each));
    if (event) last = { event, at: record.at };
    return event !== undefined;
  });
  return last ?? { event: testEvent(name, { at: context.clock(), tag: 'sample' }) };
}

const SIGNATURE = 'webhook-signature';
/** Signs a request whose signature is not shown. */
const NO_SECRET: EndpointSecret = { url: 'https://example.com/', secrets: [`whsec_${'A'.repeat(32)}`] };

/** The request with the names of its secret headers, but not their values. */
async function request(context: OperationsContext, endpoint: EndpointSettings, event: SentEvent) {
  // The rest is shown even if the secret can't be read.
  const { headers = {} } = await readSecret(context, endpoint).catch(() => NO_SECRET);
  const hidden = Object.fromEntries(Object.keys(headers).map(name => [name, '(secret)']));
  const { name } = endpoint;
  const now = context.clock();
  const delivery = { endpoint: name, id: event.id, eventId: event.id, at: now, attributes: {}, event };
  const made = context.jobsOf([{ ...delivery, body: serialise(event) }], endpoint);
  const [job] = made.jobs;
  if (!job) throw new Refused(`This event can't be sent: ${made.unrenderable[0]?.reason}.`);
  const { body, headers: sent } = job.request(now, { ...NO_SECRET, headers: hidden });
  const shown = Object.hasOwn(sent, SIGNATURE) ? { ...sent, [SIGNATURE]: '(signature)' } : sent;
  return { headers: headersOf(shown), body: JSON.parse(body), ...job.readable?.() };
}

function taken(event: SentEvent, { record }: EndpointSettings) {
  return JSON.parse(serialise(record === false ? withoutRecords(event) : event));
}
