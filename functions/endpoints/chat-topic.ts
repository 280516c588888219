import type {
  ChangeEvent,
  FieldChange,
  FieldEvent,
  ProjectEvent,
  SourceEvent,
  TaskEvent,
} from '../changes/event.ts';
import { fieldRecord } from './chat-fields.ts';
import { cleanText, cutText, isolate } from './chat-text.ts';

/** What one chat message is about: one project's changes, those of a process's fields, or one event of a process itself. Its texts are data, made
 *  clean and short, and not yet escaped for any chat. */
export interface ChatTopic {
  readonly title: string;
  /** Where it happened: process and workspace. */
  readonly origin: string;
  /** The earliest and the latest observation, in ms since 1970; undefined when the events' times can't be read. */
  readonly observed: { readonly after: number; readonly before: number } | undefined;
  /** What is told in words instead of records. */
  readonly note?: string;
  readonly records: readonly ChatRecord[];
  readonly eventIds: readonly string[];
}

/** One event about a project, a task or a field. */
export interface ChatRecord {
  readonly entity: 'project' | 'task' | 'project field' | 'task field';
  readonly action: 'created' | 'updated' | 'archived' | 'deleted';
  readonly id: string;
  readonly name: string;
  readonly fields: readonly FieldChange[];
  /** More fields changed than the event could carry (`truncated`). */
  readonly isIncomplete: boolean;
}

const TITLE_LENGTH = 140;
const NAME_LENGTH = 120;
const ORIGIN_LENGTH = 60;

type RecordEvent = ProjectEvent | TaskEvent;
type Some<Event> = [Event, ...Event[]];

/** The topics of a batch, in the order in which they first appear: one per project (by workspace, process and id) with
 *  its events by sequence and index, one per process with its fields' events, one per `source.*` event. An event that
 *  came twice is told once. */
export function chatTopics(events: readonly ChangeEvent[]): ChatTopic[] {
  const unique = [...new Map(events.map(event => [event.id, event])).values()];
  const groups = Map.groupBy(unique, event => JSON.stringify(placeOf(event)));
  return [...groups.values()].map(group => {
    const sorted = group.sort(byPosition) as Some<ChangeEvent>;
    const [first] = sorted;
    if (isSourceEvent(first)) return sourceTopic(first);
    return isFieldEvent(first)
      ? fieldsTopic(sorted as Some<FieldEvent>)
      : projectTopic(sorted as Some<RecordEvent>);
  });
}

/** Events of one place are told together. They are of one kind. */
function placeOf(event: ChangeEvent): string[] {
  if (isRecordEvent(event)) return [event.source, event.data.project.id];
  return isFieldEvent(event) ? [event.source] : [event.id];
}

function fieldsTopic(events: Some<FieldEvent>): ChatTopic {
  return {
    title: 'Custom fields',
    origin: originOf(events[0]),
    observed: spanOf(events.map(({ time }) => ({ after: time, before: time }))),
    records: events.map(fieldRecord),
    eventIds: events.map(event => event.id),
  };
}

function projectTopic(events: Some<RecordEvent>): ChatTopic {
  const project = events.findLast(event => cleanText(event.data.project.name ?? '') !== '') ?? events[0];
  const { id, name = '' } = project.data.project;
  return {
    title: label(name, TITLE_LENGTH) || `Project ${label(id, TITLE_LENGTH - 8)}`.trim(),
    origin: originOf(events[0]),
    observed: spanOf(events.map(({ data }) => data.observed)),
    records: events.map(recordOf),
    eventIds: events.map(event => event.id),
  };
}

function sourceTopic(event: SourceEvent): ChatTopic {
  return {
    ...wordsOf(event),
    origin: originOf(event),
    observed: spanOf([{ after: 'since' in event.data ? event.data.since : event.time, before: event.time }]),
    records: [],
    eventIds: [event.id],
  };
}

/** The titles are our own words: Teams shows them where text is read as markdown, which data must never be. */
function wordsOf(event: SourceEvent): { title: string; note: string } {
  switch (event.type) {
    case 'source.held':
      return {
        title: 'Deletions are held',
        note: label(event.data.reason, 1_000) || 'An operator must decide.',
      };
    case 'source.stalled':
      return {
        title: 'Changes are late',
        note: `None is lost: they are told when this is over. The last pass met: ${label(event.data.reason, 800)}`,
      };
    case 'source.skipped': {
      const id = label(event.data.project.id, NAME_LENGTH);
      return {
        title: 'A project is left out',
        note: `Changes of project ${id} are late, none is lost; all others are told. The last try met: ${label(event.data.reason, 800)}`,
      };
    }
    case 'source.recovered':
      return {
        title: 'Changes are told again',
        note: 'The source was read to its end again. What changed in the meantime has been told; nothing was lost.',
      };
  }
}

function recordOf({ type, data }: RecordEvent): ChatRecord {
  const subject = 'task' in data ? data.task : data.project;
  return {
    entity: 'task' in data ? 'task' : 'project',
    action: type.split('.')[1] as ChatRecord['action'],
    id: subject.id,
    name: label(subject.name ?? '', NAME_LENGTH) || label(subject.id, NAME_LENGTH) || '(no name)',
    fields: data.changes,
    isIncomplete: data.truncated?.includes('changes') === true,
  };
}

function originOf({ source, data }: ChangeEvent): string {
  const workspace = source.split('/')[2] ?? '';
  return `process ${label(data.process.id, ORIGIN_LENGTH)} · workspace ${label(workspace, ORIGIN_LENGTH)}`;
}

function spanOf(observed: readonly { after: string; before: string }[]): ChatTopic['observed'] {
  const after = Math.min(...observed.map(span => Date.parse(span.after)));
  const before = Math.max(...observed.map(span => Date.parse(span.before)));
  return Number.isNaN(after) || Number.isNaN(before) ? undefined : { after, before };
}

function label(text: string, limit: number): string {
  return isolate(cutText(cleanText(text), limit));
}

function isRecordEvent(event: ChangeEvent): event is RecordEvent {
  return event.type.startsWith('project.') || event.type.startsWith('task.');
}

function isFieldEvent(event: ChangeEvent): event is FieldEvent {
  return event.type.startsWith('field.');
}

function isSourceEvent(event: ChangeEvent): event is SourceEvent {
  return event.type.startsWith('source.');
}

function byPosition(one: ChangeEvent, other: ChangeEvent): number {
  return Number(one.sequence) - Number(other.sequence) || indexOf(one) - indexOf(other);
}

function indexOf(event: ChangeEvent): number {
  return Number(event.id.slice(event.id.lastIndexOf('.') + 1)) || 0;
}
