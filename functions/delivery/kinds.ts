import type { ChatMessage, EndpointRequest, EndpointSecret, MessageContext } from '../model/endpoint.ts';
import type { SentEvent } from '../model/event.ts';
import type { EndpointKind } from '../model/kinds.ts';
import type { Delivery } from './settler.ts';
import { slackMessages } from './slack/slack.ts';
import { teamsMessages } from './teams/teams.ts';
import { textMessages } from './text/text.ts';
import { webhookRequest } from './webhook/webhook.ts';

/** How events become requests, by the kind of their endpoint. `model/kinds.ts` has what else is to know of each. */
const JOBS: Readonly<Record<EndpointKind, (all: readonly ReadDelivery[], context: MessageContext) => Jobs>> =
  {
    webhook: webhookJobs,
    slack: messages(slackMessages),
    teams: messages(teamsMessages),
    text: messages(textMessages),
  };

/** The requests that deliver these events to an endpoint. */
export function jobsOf(deliveries: readonly ReadDelivery[], context: MessageContext): Jobs {
  return JOBS[context.endpoint.kind](deliveries, context);
}

function messages(format: ChatFormat) {
  return (all: readonly ReadDelivery[], context: MessageContext) => chatJobs(all, format, context);
}

/** One POST, and the deliveries that it settles. */
export interface Job {
  readonly deliveries: readonly ReadDelivery[];
  /** `now` in ms since 1970: the time of the attempt. */
  request(now: number, secret: EndpointSecret): EndpointRequest;
}

/** A delivery with its event. */
export interface ReadDelivery extends Delivery {
  readonly event: SentEvent;
}

/** What deliveries become: jobs, and those that no message could be made of. */
export interface Jobs {
  readonly jobs: readonly Job[];
  readonly unfit: readonly { readonly delivery: ReadDelivery; readonly reason: string }[];
}

type ChatFormat = (events: readonly SentEvent[], context: MessageContext) => readonly ChatMessage[];

/** Tells a webhook's receiver that the event was asked for once more: one that it has handled may be
 *  dropped. */
const REPLAY = { 'changewire-replay': 'true' };

/** One job per event. */
export function webhookJobs(deliveries: readonly ReadDelivery[]): Jobs {
  const jobs = deliveries.map(delivery => ({
    deliveries: [delivery],
    // `parseSecret` has checked that a webhook's secret holds one or two.
    request: (now: number, { secrets }: EndpointSecret) => {
      const { event, body, replay } = delivery;
      const request = webhookRequest({ id: event.id, body }, secrets as readonly string[], now);
      return replay ? { ...request, headers: { ...request.headers, ...REPLAY } } : request;
    },
  }));
  return { jobs, unfit: [] };
}

/** One job per chat message. An event that came twice is shown once. One for which the format throws is left
 *  out, so that it doesn't hold up the others. */
export function chatJobs(
  deliveries: readonly ReadDelivery[],
  format: ChatFormat,
  context: MessageContext,
): Jobs {
  const fit: ReadDelivery[] = [];
  const unfit: { delivery: ReadDelivery; reason: string }[] = [];
  for (const delivery of deliveries) {
    try {
      format([delivery.event], context);
      fit.push(delivery);
    } catch (error) {
      const reason = `the event can not be shown (${(error as Error).name})`;
      unfit.push({ delivery, reason });
    }
  }
  const events = new Map(fit.map(({ event }) => [event.id, event]));
  const jobs = format([...events.values()], context).map(({ body, headers = {}, eventIds }) => {
    const ids = new Set(eventIds);
    return {
      deliveries: fit.filter(({ event }) => ids.has(event.id)),
      request: () => ({ body, headers }),
    };
  });
  return { jobs, unfit };
}
