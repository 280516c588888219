import type { Clock } from '../../basics/clock.ts';
import { isJsonObject, type Json } from '../../basics/json.ts';
import type { Log } from '../../basics/telemetry.ts';
import type { Thread } from '../../model/delivery.ts';
import type { EndpointRequest, EndpointSettings } from '../../model/endpoint.ts';
import type { ProjectKey } from '../../model/erase.ts';
import type { ProjectEvent, SentEvent, TaskEvent } from '../../model/event.ts';
import { decodePart } from '../../model/event-id.ts';
import type { Deliveries } from '../../store/store.ts';
import { ASSIGNEE_RANK, rankOfAll } from '../chat/chat-relevance.ts';
import type { ChatTopic } from '../chat/chat-topic.ts';
import type { Answer, NoAnswer, Poster } from '../http/post.ts';
import { slackMessage } from '../slack/slack.ts';
import { errorOf, hasLostThread, messageIn, wasAccepted } from './answer.ts';

/** A topic as a message for `chat.postMessage`. */
export function slackAppMessage(topic: ChatTopic, endpoint: EndpointSettings) {
  // Without a charset, Slack adds a warning to its answers.
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  return { body: { channel: endpoint.channel, ...slackMessage(topic, endpoint).body }, headers };
}

const DAY_MS = 24 * 3_600_000;

interface Ports {
  readonly deliveries: Pick<Deliveries, 'thread' | 'keepThread' | 'dropThreads'>;
  readonly poster: Pick<Poster, 'post'>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
}

/** The thread of a message, in which all messages about a project stand. */
interface ThreadOfJob {
  /** The request as a reply, if the thread has begun. */
  readonly reply: (request: EndpointRequest) => EndpointRequest;
  /** Notes the thread that the message began, or that is lost. Never rejects: the next message begins another one. */
  readonly answered: (answer: Answer | NoAnswer) => Promise<void>;
}

/** What is read of an event, as far as it is there. */
type Shown = Partial<Pick<SentEvent, 'type' | 'source' | 'data'>>;

const NO_THREAD: ThreadOfJob = { reply: request => request, answered: async () => undefined };

/** The thread of a message with these events. Summaries and messages about processes have none. */
export async function threadOf(
  { name, kind, channel = '' }: EndpointSettings,
  events: readonly Shown[],
  { deliveries, clock, log }: Pick<Ports, 'deliveries' | 'clock' | 'log'>,
): Promise<ThreadOfJob> {
  const project = kind === 'slack-app' ? projectOf(events) : undefined;
  if (!project) return NO_THREAD;
  const known = await deliveries.thread(name, project).catch(unusable);
  const thread = known?.channel === channel ? known : undefined;
  const isBroadcast = events.some(isOfInterest);
  return {
    reply: request => (thread ? inThread(request, thread, isBroadcast) : request),
    async answered(answer) {
      try {
        await note(answer);
      } catch (error) {
        unusable(error);
      }
    },
  };

  async function note(answer: Answer | NoAnswer): Promise<void> {
    if (thread && hasLostThread(answer)) return deliveries.dropThreads(name, project);
    const ts = messageIn(answer);
    const usedAt = clock();
    if (ts === undefined || (thread && usedAt - thread.usedAt < DAY_MS)) return;
    await deliveries.keepThread(name, project as ProjectKey, { channel, ts: thread?.ts ?? ts, usedAt });
  }

  function unusable(error: unknown): undefined {
    const details = { code: 'delivery.thread-not-saved', endpoint: name, error: String(error) };
    log.warn('Could not read or save the thread of a project; its messages begin another one.', details);
  }
}

/** The project of a message, of which all events are. */
function projectOf([first]: readonly Shown[]): ProjectKey | undefined {
  const { type = '', source = '', data } = first ?? {};
  if (!/^(project|task)\./.test(type) || !data || !('project' in data)) return undefined;
  const workspace = decodePart(source.split('/')[2] ?? '');
  return { workspace, processId: data.process.id, projectId: data.project.id };
}

/** What people who do not follow the thread want to know too: a project that appears, disappears or gets another
 *  status. */
function isOfInterest({ type, data }: Shown): boolean {
  if (type === 'project.created' || type === 'project.deleted') return true;
  return type === 'project.updated' && rankOfAll((data as ProjectEvent['data']).changes) === 0;
}

function inThread({ body, headers }: EndpointRequest, { ts }: Thread, isBroadcast: boolean): EndpointRequest {
  const reply = { thread_ts: ts, ...(isBroadcast && { reply_broadcast: true }) };
  return { headers, body: JSON.stringify({ ...JSON.parse(body), ...reply }) };
}

/** More people are not written to for one message. */
const MAX_PEOPLE = 10;

interface Message {
  readonly url: string;
  readonly request: EndpointRequest;
  readonly events: readonly Shown[];
}

/** Sends a message that the channel has got to the new assignees of its tasks, too, once and without a retry: those
 *  whose e-mail address is in the assignee's value, and who have it in Slack. Never rejects.
 *  @param hasTime whether the run has time for another request */
export async function sendDirectly(
  { name, kind, direct }: EndpointSettings,
  { url, request, events }: Message,
  { poster, log }: Pick<Ports, 'poster' | 'log'>,
  hasTime: () => boolean,
): Promise<void> {
  if (kind !== 'slack-app' || direct === undefined) return;
  for (const email of new Set(events.flatMap(newAssignees)).values().take(MAX_PEOPLE)) {
    if (!hasTime()) return;
    const form = { ...request.headers, 'content-type': 'application/x-www-form-urlencoded' };
    const body = new URLSearchParams({ email }).toString();
    const found = await poster.post(new URL('users.lookupByEmail', url).href, { body, headers: form });
    const id = userIn(found);
    // Each of the two requests can take its whole time-out.
    if (id !== undefined && !hasTime()) return;
    const answer = id === undefined ? found : await poster.post(url, to(id, request));
    if (!wasAccepted(answer)) warn(answer);
  }

  /** Without the address, which is personal. */
  function warn(answer: Answer | NoAnswer): void {
    const reason = 'why' in answer ? answer.why : (errorOf(answer) ?? `answered ${answer.status}`);
    const details = { code: 'delivery.not-direct', endpoint: name, reason };
    log.warn('Could not send a message to an assignee directly; the channel has got it.', details);
  }
}

/** The e-mail addresses of a task's assignees who were not assigned before. */
function newAssignees({ type, data }: Shown): string[] {
  if (type !== 'task.created' && type !== 'task.updated') return [];
  return (data as TaskEvent['data']).changes
    .filter(change => rankOfAll([change]) === ASSIGNEE_RANK)
    .flatMap(({ from, to }) => {
      const before = emailsIn(from);
      return emailsIn(to).filter(email => !before.includes(email));
    });
}

function emailsIn(value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap(emailsIn);
  if (isJsonObject(value)) return typeof value.email === 'string' ? emailsIn(value.email) : [];
  return typeof value === 'string' && /^[^\s@<>]{1,64}@[^\s@<>]{1,255}$/.test(value)
    ? [value.toLowerCase()]
    : [];
}

function userIn(answer: Answer | NoAnswer): string | undefined {
  if (!wasAccepted(answer)) return undefined;
  return /"user":\s*\{\s*"id":\s*"([A-Z0-9]{2,32})"/.exec(('body' in answer && answer.body) || '')?.[1];
}

function to(channel: string, { body, headers }: EndpointRequest): EndpointRequest {
  return { headers, body: JSON.stringify({ ...JSON.parse(body), channel }) };
}
