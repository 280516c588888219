import { namesInWords } from '../../basics/names-in-words.ts';
import type { LinkTemplates } from '../../model/endpoint.ts';
import type { Actor, SentEvent } from '../../model/event.ts';
import { cleanText, counted, label } from './chat-text.ts';
import { actorsInWords, type ChatTopic } from './chat-topic.ts';
import { byPosition, chatTopics, subjectOf } from './chat-topics.ts';
import { changesOf, UNKNOWN } from './consolidate.ts';

/** More changes than these are summed up in one message. */
const MAX_CHANGES = 50;

/** Whether events that wait for a chat are summed up in one message: more than MAX_CHANGES events, or as many changes
 *  of several topics. The changes of one topic need one message anyway, which shows more. */
export function isFlood(all: readonly SentEvent[]): boolean {
  const events = [...new Map(all.map(event => [event.id, event])).values()];
  if (events.length > MAX_CHANGES) return true;
  const changes = events.reduce((sum, event) => sum + changesOf(event), 0);
  return changes > MAX_CHANGES && new Set(events.map(topicOf)).size > 1;
}

/** Those of the first `limit` topics: as many messages. */
export function ofFirstTopics<Item extends { readonly event: SentEvent }>(
  items: readonly Item[],
  limit: number,
): Item[] {
  const topics = [...new Set(items.map(({ event }) => topicOf(event)))].slice(0, limit);
  return items.filter(({ event }) => topics.includes(topicOf(event)));
}

/** An event that can't be rendered has a topic of its own: it becomes a dead letter later. */
function topicOf(event: SentEvent): string {
  try {
    return subjectOf(event);
  } catch {
    return event.id;
  }
}

/** What `type` is called, of one and of several changes. */
const WORDS: Readonly<Record<string, readonly [one: string, several: string]>> = {
  'source.held': ['hold of deletions', 'holds of deletions'],
  'source.stalled': ['outage', 'outages'],
  'source.skipped': ['skipped project', 'skipped projects'],
  'source.recovered': ['recovery', 'recoveries'],
  'project.created': ['project created', 'projects created'],
  'project.deleted': ['project deleted', 'projects deleted'],
  'project.updated': ['change of projects', 'changes of projects'],
  'task.created': ['task created', 'tasks created'],
  'task.deleted': ['task deleted', 'tasks deleted'],
  'task.updated': ['change of tasks', 'changes of tasks'],
  'task.due': ['task due', 'tasks due'],
  'task.overdue': ['task overdue', 'tasks overdue'],
  'project.due': ['project due', 'projects due'],
  'project.overdue': ['project overdue', 'projects overdue'],
  'project.unchanged': ['unchanged project', 'unchanged projects'],
  'field.created': ['field created', 'fields created'],
  'field.archived': ['field archived', 'fields archived'],
  'field.deleted': ['field deleted', 'fields deleted'],
  'field.updated': ['change of fields', 'changes of fields'],
  'audit.recorded': ['audit entry', 'audit entries'],
  'endpoint.failing': ['failing endpoint', 'failing endpoints'],
  'endpoint.recovered': ['recovered endpoint', 'recovered endpoints'],
  'endpoint.stopped': ['stopped endpoint', 'stopped endpoints'],
  'delivery.dead': ['report of dead letters', 'reports of dead letters'],
  'changewire.test': ['test', 'tests'],
};
const TYPE_LENGTH = 40;

/** Where changes were made: a project, or the fields, the audit log or a notice of a process. */
interface Place {
  name: string;
  origin: string;
  link: string | undefined;
  changes: number;
  readonly isProject: boolean;
  /** The last event that named it, and the last of the project itself. */
  named: SentEvent | undefined;
  last: SentEvent | undefined;
}

/** Sums up events, one after the other, in one topic. Keeps counts and names, not the events. */
export class ChatFlood {
  readonly #templates: LinkTemplates | undefined;
  readonly #ids = new Set<string>();
  readonly #types = new Map<string, number>();
  readonly #places = new Map<string, Place>();
  readonly #sources = new Set<string>();
  readonly #actors = new Map<string, { actor: Actor; changes: number }>();
  #changes = 0;
  #unknown = 0;
  #after = Number.POSITIVE_INFINITY;
  #before = Number.NEGATIVE_INFINITY;

  constructor(templates?: LinkTemplates) {
    this.#templates = templates;
  }

  /** An event that comes twice counts once. @throws when it can't be rendered */
  add(event: SentEvent): void {
    if (this.#ids.has(event.id)) return;
    const topic = chatTopics([event], this.#templates)[0] as ChatTopic;
    const changes = changesOf(event);
    this.#ids.add(event.id);
    this.#changes += changes;
    this.#types.set(event.type, (this.#types.get(event.type) ?? 0) + changes);
    this.#sources.add(event.source);
    this.#after = Math.min(this.#after, topic.observed?.after ?? this.#after);
    this.#before = Math.max(this.#before, topic.observed?.before ?? this.#before);
    this.#addPlace(event, topic, changes);
    this.#addActors(event, changes);
  }

  get topic(): ChatTopic {
    const places = [...this.#places.values()].toSorted((one, other) => other.changes - one.changes);
    const projects = places.filter(({ isProject }) => isProject).length;
    return {
      title: `${counted(this.#changes, 'change')}${projects > 0 ? ` in ${counted(projects, 'project')}` : ''}`,
      origin: this.#origin(places),
      observed: this.#after <= this.#before ? { after: this.#after, before: this.#before } : undefined,
      note: this.#note(),
      records: [],
      eventIds: [...this.#ids],
      flood: { by: this.#by(), places: places.map(place => this.#placeOf(place)) },
    };
  }

  #addPlace(event: SentEvent, topic: ChatTopic, changes: number): void {
    const { data, type, source } = event;
    const project = 'observed' in data || 'dueAt' in data ? data.project : undefined;
    const key = project ? subjectOf(event) : `${type.split('.')[0]} ${topic.title} ${source}`;
    const place = this.#places.get(key) ?? {
      ...{ name: topic.title, origin: topic.origin, link: undefined, changes: 0 },
      ...{ isProject: project !== undefined, named: undefined, last: undefined },
    };
    this.#places.set(key, place);
    place.changes += changes;
    place.link ??= topic.link;
    const isLater = (other: SentEvent | undefined) => !other || byPosition(other, event) <= 0;
    const position = { id: event.id, type, sequence: event.sequence } as SentEvent;
    if (type.startsWith('project.') && isLater(place.last)) place.last = position;
    if (cleanText(project?.name ?? '') === '' || !isLater(place.named)) return;
    place.named = position;
    place.name = topic.title;
  }

  #addActors({ data }: SentEvent, changes: number): void {
    const actors = 'users' in data ? data.users : 'actors' in data ? data.actors : undefined;
    const known = actors?.filter(({ id }) => id !== UNKNOWN.id) ?? [];
    if (known.length === 0 || known.length !== actors?.length) this.#unknown += changes;
    for (const actor of known) {
      const before = this.#actors.get(actor.id)?.changes ?? 0;
      this.#actors.set(actor.id, { actor, changes: before + changes });
    }
  }

  /** `4,800 tasks created · 200 changes of tasks`. */
  #note(): string {
    const order = Object.keys(WORDS);
    const rank = (type: string) => (order.indexOf(type) + 1 || order.length + 1) as number;
    return [...this.#types]
      .toSorted(([one], [other]) => rank(one) - rank(other))
      .map(([type, count]) => {
        const [one, several] = WORDS[type] ?? Array<string>(2).fill(`of type ${label(type, TYPE_LENGTH)}`);
        return `${count.toLocaleString('en')} ${count === 1 ? one : several}`;
      })
      .join(' · ');
  }

  /** Those who made the most changes first. */
  #by(): string | undefined {
    if (this.#actors.size === 0) return;
    const most = [...this.#actors.values()].toSorted((one, other) => other.changes - one.changes);
    const names = most.map(({ actor }) => actorsInWords([actor]) as string);
    const unknown = this.#unknown > 0 ? `; unknown for ${counted(this.#unknown, 'change')}` : '';
    return `by ${namesInWords(names)}${unknown}`;
  }

  #origin([first]: readonly Place[]): string {
    if (this.#sources.size <= 1) return first?.origin ?? '';
    const workspaces = new Set([...this.#sources].map(source => source.split('/')[2] ?? ''));
    const [only = ''] = workspaces;
    const where =
      workspaces.size > 1 ? counted(workspaces.size, 'workspace') : `workspace ${label(only, 60)}`;
    return `${this.#sources.size.toLocaleString('en')} processes · ${where}`;
  }

  #placeOf({ name, origin, link, changes, last }: Place) {
    const isGone = last?.type === 'project.deleted';
    return {
      name,
      link: isGone ? undefined : link,
      changes,
      ...(this.#sources.size > 1 && { origin }),
    };
  }
}
