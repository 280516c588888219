import type { LinkTemplates } from '../../model/endpoint.ts';
import type { SentEvent } from '../../model/event.ts';
import { ChatFlood, isFlood } from './chat-flood.ts';
import { counted } from './chat-text.ts';
import type { ChatTopic } from './chat-topic.ts';
import { chatTopics, subjectOf } from './chat-topics.ts';
import { changesOf, compacted, consolidate } from './consolidate.ts';

/** Changes of more projects are summed up in one message. */
const MAX_TOPICS = 10;

/** Sums up the changes that a chat gathered: each field from its first value to its last. */
export class ChatWindow {
  readonly #templates: LinkTemplates | undefined;
  readonly #events = new Map<string, SentEvent>();

  readonly #isWhole: boolean;

  /** `isWhole`: never one topic of all. */
  constructor(
    templates?: LinkTemplates,
    { isWhole = false }: { readonly isWhole?: boolean | undefined } = {},
  ) {
    this.#templates = templates;
    this.#isWhole = isWhole;
  }

  /** An event that comes twice counts once. @throws when it can't be rendered */
  add(event: SentEvent): void {
    if (this.#events.has(event.id)) return;
    chatTopics([event], this.#templates);
    consolidate([event]);
    this.#events.set(event.id, compacted(event));
  }

  /** One topic for each project with changes that were not taken back, or one of all. */
  topics(): ChatTopic[] {
    const places = [...Map.groupBy(this.#events.values(), subjectOf).values()]
      .map(events => ({ ids: events.map(({ id }) => id), sum: consolidate(events) }))
      .filter(({ sum }) => sum.events.length > 0);
    const all = places.flatMap(({ sum }) => sum.events);
    const isMany = places.length > 1 && (places.length > MAX_TOPICS || isFlood(all));
    if (isMany && !this.#isWhole) return [this.#summary(all)];
    return places.flatMap(({ ids, sum }) =>
      chatTopics(sum.events, this.#templates, true).map(topic => ({
        ...withNote(topic, sum),
        eventIds: ids,
        shows: sum.events,
      })),
    );
  }

  #summary(events: readonly SentEvent[]): ChatTopic {
    const flood = new ChatFlood(this.#templates);
    for (const event of events) flood.add(event);
    const all = consolidate([...this.#events.values()]);
    return { ...withNote(flood.topic, all), eventIds: [...this.#events.keys()] };
  }
}

/** Counts the changes that stand in no line of their own: `40 changes summed up, of which 6 were taken back`. */
function withNote(
  topic: ChatTopic,
  { events, changes, takenBack }: ReturnType<typeof consolidate>,
): ChatTopic {
  if (events.reduce((sum, event) => sum + changesOf(event), 0) === changes) return topic;
  const back =
    takenBack > 0
      ? `, of which ${takenBack.toLocaleString('en')} ${takenBack === 1 ? 'was' : 'were'} taken back`
      : '';
  const text = `${counted(changes, 'change')} summed up${back}`;
  return { ...topic, note: topic.note === undefined ? text : `${topic.note} · ${text}` };
}
