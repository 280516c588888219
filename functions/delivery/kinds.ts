import { serialise, withoutRecords } from '../changes/fit-event.ts';
import type { EndpointRequest, EndpointSecret, EndpointSettings, LinkTemplates } from '../model/endpoint.ts';
import type { SentEvent } from '../model/event.ts';
import { changedHeaders } from '../model/headers.ts';
import { type EndpointKind, KINDS } from '../model/kinds.ts';
import { ChatFlood } from './chat/chat-flood.ts';
import { inLocale } from './chat/chat-locale.ts';
import { sentenceOf } from './chat/chat-sentence.ts';
import type { ChatTopic } from './chat/chat-topic.ts';
import { chatTopics } from './chat/chat-topics.ts';
import { ChatWindow } from './chat/chat-window.ts';
import { emailMessage } from './email/email.ts';
import { outcomeOf } from './http/outcome.ts';
import type { Answer, NoAnswer } from './http/post.ts';
import type { Delivery } from './settler.ts';
import { slackMessage } from './slack/slack.ts';
import { shownAnswer, slackOutcome } from './slack-app/answer.ts';
import { slackAppMessage } from './slack-app/slack-app.ts';
import { teamsMessage } from './teams/teams.ts';
import { readableText, textMessage } from './text/text.ts';
import { batchesOf, batchRequest, webhookRequest } from './webhook/webhook.ts';

/** The formatter of each kind of chat. `model/kinds.ts` has the other properties of each kind. */
const CHATS: Readonly<Record<Exclude<EndpointKind, 'webhook' | 'pull'>, ChatFormat>> = {
  slack: ([topic]) => slackMessage(topic),
  'slack-app': ([topic], endpoint) => slackAppMessage(topic, endpoint),
  teams: ([topic]) => teamsMessage(topic),
  text: ([topic], endpoint) => textMessage(topic, endpoint),
  email: emailMessage,
};

/** The topics are one, unless the kind's messages are mails. */
type ChatFormat = (
  topics: readonly [ChatTopic, ...ChatTopic[]],
  endpoint: EndpointSettings,
) => { readonly body: object; readonly headers?: EndpointRequest['headers'] };

/** One chat message for several events: the JSON body of its POST, and the ids of all its events, including those
 *  that it had no room for. */
interface ChatMessage {
  readonly body: string;
  readonly headers?: EndpointRequest['headers'];
  readonly eventIds: readonly string[];
  /** Of a summary. */
  readonly shows?: readonly SentEvent[];
  readonly readable?: () => Readable;
}

interface MessageContext {
  readonly endpoint: EndpointSettings;
  readonly linkTemplates?: LinkTemplates | undefined;
}

/** The judgement of an endpoint's answer, and what is kept of the answer. */
export function judged(
  { kind }: Pick<EndpointSettings, 'kind'>,
  answer: Answer | NoAnswer,
  secret: EndpointSecret,
) {
  if (kind !== 'slack-app') return { answer, outcome: outcomeOf(answer, secret) };
  return { answer: shownAnswer(answer), outcome: slackOutcome(answer, secret) };
}

/** The requests that deliver these events to an endpoint. */
export function jobsOf(deliveries: readonly ReadDelivery[], context: MessageContext): Jobs {
  const { kind } = context.endpoint;
  if (kind === 'pull') return { jobs: [], unrenderable: [] };
  const { jobs, unrenderable } =
    kind === 'webhook'
      ? webhookJobs(deliveries, context.endpoint)
      : chatJobs(deliveries, events => chatMessages(events, context));
  return { jobs: jobs.map(withHeaders), unrenderable };
}

/** The job with the headers of the endpoint's secret. One that the kind sets itself, such as a title, is the kind's. */
function withHeaders(job: Job): Job {
  return {
    ...job,
    request: (now, secret) => {
      const { body, headers } = job.request(now, secret);
      return { body, headers: changedHeaders(secret.headers ?? {}, headers) };
    },
  };
}

/** The messages that show a batch of events in a chat: one per project, one per `source.*` event (design.md §9); a
 *  mail has all of them. Each message keeps within the chat's limits and counts what it leaves out. No data becomes
 *  formatting, a mention or a link; links come only from the link templates. */
export function chatMessages(events: readonly SentEvent[], context: MessageContext): ChatMessage[] {
  return messagesOf(chatTopics(events, context.linkTemplates), context);
}

function messagesOf(topics: readonly ChatTopic[], { endpoint }: MessageContext): ChatMessage[] {
  const format = CHATS[endpoint.kind as keyof typeof CHATS];
  const local = topics.map(topic => inLocale(topic, endpoint));
  const [first, ...others] = local;
  if (!first) return [];
  const groups = KINDS[endpoint.kind].isMail
    ? [[first, ...others] as const]
    : local.map(topic => [topic] as const);
  return groups.map(group => {
    const { body, headers } = format(group, endpoint);
    return {
      body: JSON.stringify(body),
      ...(headers && { headers }),
      eventIds: group.flatMap(topic => topic.eventIds),
      shows: group.flatMap(topic => topic.shows ?? []),
      readable: () => ({
        text: readableText(group[0], endpoint),
        notification: sentenceOf(group[0]),
      }),
    };
  });
}

/** The message of a chat for one event as people read it, and its notification in one sentence. */
interface Readable {
  readonly text: string;
  readonly notification: string;
}

/** Sums up any number of events in few chat messages. */
export interface Summary {
  /** @throws when the event can't be rendered */
  add(event: SentEvent): void;
  /** The messages of all events that were added, each with the ids of its events; an event that needs none is in
   *  no message. */
  messages(): readonly ({ readonly eventIds: readonly string[] } & Pick<Job, 'request' | 'shows'>)[];
}

/** Sums up events in one message. */
export function openFlood(context: MessageContext): Summary {
  const flood = new ChatFlood(context.linkTemplates);
  return { add: event => flood.add(event), messages: () => requestsFor([flood.topic], context) };
}

/** Sums up what was gathered: from the first value to the last. A mail has room for all projects. */
export function openWindow(context: MessageContext): Summary {
  const sum = new ChatWindow(context.linkTemplates, { isWhole: KINDS[context.endpoint.kind].isMail });
  return { add: event => sum.add(event), messages: () => requestsFor(sum.topics(), context) };
}

function requestsFor(topics: readonly ChatTopic[], context: MessageContext): ReturnType<Summary['messages']> {
  return messagesOf(topics, context).map(({ body, headers = {}, eventIds, shows }) => ({
    ...{ eventIds, shows },
    request: (_, secret) => ({ body, headers: changedHeaders(secret.headers ?? {}, headers) }),
  }));
}

/** One POST, and the deliveries that it settles. */
export interface Job {
  readonly deliveries: readonly (Delivery & { readonly event: Pick<SentEvent, 'id' | 'type'> })[];
  /** It is the last message of what was gathered. */
  readonly endsWindow?: true;
  /** The events that the message shows, where these are not those of its deliveries: none in a summary. */
  readonly shows?: readonly SentEvent[] | undefined;
  /** `now` in ms since 1970: the time of the attempt. */
  request(now: number, secret: EndpointSecret): EndpointRequest;
  readonly readable?: (() => Readable) | undefined;
}

/** A delivery with its event. */
export interface ReadDelivery extends Delivery {
  readonly event: SentEvent;
}

/** Jobs, and the deliveries whose event can't be rendered. `omitted`: those that need no message. */
export interface Jobs {
  readonly jobs: readonly Job[];
  readonly omitted?: Job['deliveries'];
  readonly unrenderable: readonly { readonly delivery: Delivery; readonly reason: string }[];
}

/** Marks a replayed event for the webhook's receiver, which may drop it if it has handled the event. */
const REPLAY = { 'changewire-replay': 'true' };

/** One job per event; with `batch`, one per batch. Only the request lacks the record, so that a delivery that is kept
 *  has it when the setting changes. */
export function webhookJobs(
  deliveries: readonly ReadDelivery[],
  { batch, record }: Pick<EndpointSettings, 'batch' | 'record'> = {},
): Jobs {
  const groups = batch === undefined ? deliveries.map(delivery => [delivery]) : batchesOf(deliveries, batch);
  const jobs = groups.map(some => ({
    deliveries: some,
    request: (now: number, secret: EndpointSecret) => {
      // `parseSecret` has checked that a webhook's secret holds one or two.
      const secrets = secret.secrets as readonly string[];
      const events = some.map(({ event, body }) => ({
        id: event.id,
        body: record === false ? serialise(withoutRecords(event)) : body,
      }));
      const [first] = events as [(typeof events)[number]];
      const request =
        batch === undefined ? webhookRequest(first, secrets, now) : batchRequest(events, secrets, now);
      return some[0]?.replay ? { ...request, headers: { ...request.headers, ...REPLAY } } : request;
    },
  }));
  return { jobs, unrenderable: [] };
}

export const unrenderableFor = (error: unknown) => `the event cannot be rendered (${(error as Error).name})`;

/** One job per chat message. Duplicate events are shown once; an event that can't be rendered is left out, so that
 *  it doesn't block the others. */
export function chatJobs(
  deliveries: readonly ReadDelivery[],
  messagesOf: (events: readonly SentEvent[]) => readonly ChatMessage[],
): Jobs {
  const renderable: ReadDelivery[] = [];
  const unrenderable: { delivery: ReadDelivery; reason: string }[] = [];
  for (const delivery of deliveries) {
    try {
      messagesOf([delivery.event]);
      renderable.push(delivery);
    } catch (error) {
      unrenderable.push({ delivery, reason: unrenderableFor(error) });
    }
  }
  const events = new Map(renderable.map(({ event }) => [event.id, event]));
  const jobs = messagesOf([...events.values()]).map(({ body, headers = {}, eventIds, readable }) => {
    const ids = new Set(eventIds);
    return {
      deliveries: renderable.filter(({ event }) => ids.has(event.id)),
      request: () => ({ body, headers }),
      readable,
    };
  });
  return { jobs, unrenderable };
}
