import type { Clock } from '../../basics/clock.ts';
import type { Log } from '../../basics/telemetry.ts';
import type { Thread } from '../../model/delivery.ts';
import type { EndpointRequest, EndpointSettings } from '../../model/endpoint.ts';
import type { ProjectKey } from '../../model/erase.ts';
import type { ProjectEvent, SentEvent } from '../../model/event.ts';
import { decodePart } from '../../model/event-id.ts';
import type { Deliveries } from '../../store/store.ts';
import { rankOfAll } from '../chat/chat-relevance.ts';
import type { Answer, NoAnswer } from '../http/post.ts';
import { hasLostThread, messageIn } from './answer.ts';

const DAY_MS = 24 * 3_600_000;

interface Ports {
  readonly deliveries: Pick<Deliveries, 'thread' | 'keepThread' | 'dropThreads'>;
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
  { deliveries, clock, log }: Ports,
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
