import { isJsonObject, type Json } from '../../basics/json.ts';
import type { Log } from '../../basics/telemetry.ts';
import type { EndpointRequest, EndpointSettings } from '../../model/endpoint.ts';
import type { SentEvent, TaskEvent } from '../../model/event.ts';
import { ASSIGNEE_RANK, rankOfAll } from '../chat/chat-relevance.ts';
import type { Answer, NoAnswer, Poster } from '../http/post.ts';
import { errorOf, wasAccepted } from './answer.ts';

/** More people are not written to for one message. */
const MAX_PEOPLE = 10;

interface Message {
  readonly url: string;
  readonly request: EndpointRequest;
  readonly events: readonly Partial<Pick<SentEvent, 'type' | 'source' | 'data'>>[];
}

interface Ports {
  readonly poster: Pick<Poster, 'post'>;
  readonly log: Pick<Log, 'warn'>;
  /** Whether the run has time for another request. */
  readonly hasTime: () => boolean;
}

/** Sends a message that the channel has got to the new assignees of its tasks, too, once and without a retry: those
 *  whose e-mail address is in the assignee's value, and who have it in Slack. Never rejects. */
export async function sendDirectly(
  { name, kind, direct }: EndpointSettings,
  { url, request, events }: Message,
  { poster, log, hasTime }: Ports,
): Promise<void> {
  if (kind !== 'slack-app' || direct === undefined) return;
  for (const email of new Set(events.flatMap(newAssignees)).values().take(MAX_PEOPLE)) {
    if (!hasTime()) return;
    const form = { ...request.headers, 'content-type': 'application/x-www-form-urlencoded' };
    const body = new URLSearchParams({ email }).toString();
    const found = await poster.post(new URL('users.lookupByEmail', url).href, { body, headers: form });
    const id = userIn(found);
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
function newAssignees({ type, data }: Message['events'][number]): string[] {
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
