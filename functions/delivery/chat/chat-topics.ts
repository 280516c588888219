import type { LinkTemplates } from '../../model/endpoint.ts';
import type {
  AuditEvent,
  FieldEvent,
  ProjectEvent,
  SentEvent,
  SourceEvent,
  TaskEvent,
  TestEvent,
} from '../../model/event.ts';
import { together } from './chat-actors.ts';
import { auditTopic } from './chat-audit.ts';
import { fieldRecord } from './chat-fields.ts';
import { projectLink, taskLink } from './chat-links.ts';
import { originOf, spanOf } from './chat-origin.ts';
import { chatRecord } from './chat-record.ts';
import { sourceTopic } from './chat-source.ts';
import { testTopic } from './chat-test.ts';
import { cleanText, label } from './chat-text.ts';
import type { ChatRecord, ChatTopic } from './chat-topic.ts';

const TITLE_LENGTH = 140;

type RecordEvent = ProjectEvent | TaskEvent;
type Some<Event> = [Event, ...Event[]];

/** The topics of a batch, in the order in which they first appear: one per project (by workspace, process and id) with
 *  its events by sequence and index, one per process with its fields' events, one per process with its audit entries, one per `source.*` event and per test. An event that
 *  came twice is told once. */
export function chatTopics(events: readonly SentEvent[], templates?: LinkTemplates): ChatTopic[] {
  const unique = [...new Map(events.map(event => [event.id, event])).values()];
  const groups = Map.groupBy(unique, event => JSON.stringify(placeOf(event)));
  return [...groups.values()].map(group => {
    const sorted = group.sort(byPosition) as Some<SentEvent>;
    const [first] = sorted;
    if (isSourceEvent(first)) return sourceTopic(first);
    if (isTestEvent(first)) return testTopic(first);
    if (isAuditEvent(first)) return auditTopic(sorted as Some<AuditEvent>);
    return isFieldEvent(first)
      ? fieldsTopic(sorted as Some<FieldEvent>)
      : projectTopic(sorted as Some<RecordEvent>, templates);
  });
}

/** What an event is about; events about the same are shown together. These are of one kind. */
function placeOf(event: SentEvent): string[] {
  if (isRecordEvent(event)) return [event.source, event.data.project.id];
  // No source is the name of a type, so that no project's identifier makes the same place.
  if (isAuditEvent(event)) return [event.type, event.source];
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

function projectTopic(events: Some<RecordEvent>, templates?: LinkTemplates): ChatTopic {
  const project = events.findLast(event => cleanText(event.data.project.name ?? '') !== '') ?? events[0];
  const { id, name = '' } = project.data.project;
  const records = events.map(chatRecord);
  const actors = events.map(({ data }) => data.actors);
  const isThere = stillThere(records);
  const hasProject = isThere({ entity: 'project', id });
  const linked = events.map((event, index) => {
    const record = records[index] as ChatRecord;
    const isLinked = record.entity === 'task' && record.action !== 'deleted' && hasProject && isThere(record);
    return isLinked ? { ...record, link: taskLink(event as TaskEvent, templates) } : record;
  });
  return {
    title: label(name, TITLE_LENGTH) || `Project ${label(id, TITLE_LENGTH - 8)}`.trim(),
    link: hasProject ? projectLink(events[0], templates) : undefined,
    origin: originOf(events[0]),
    observed: spanOf(events.map(({ data }) => data.observed)),
    ...together(linked, actors),
    eventIds: events.map(event => event.id),
  };
}

/** Whether a record was not deleted by these events: a link to one that was leads nowhere, even from its
 *  earlier changes. */
function stillThere(records: readonly ChatRecord[]) {
  const last = new Map(records.map(({ entity, id, action }) => [JSON.stringify([entity, id]), action]));
  return ({ entity, id }: Pick<ChatRecord, 'entity' | 'id'>) =>
    last.get(JSON.stringify([entity, id])) !== 'deleted';
}

function isRecordEvent(event: SentEvent): event is RecordEvent {
  return event.type.startsWith('project.') || event.type.startsWith('task.');
}

function isFieldEvent(event: SentEvent): event is FieldEvent {
  return event.type.startsWith('field.');
}

function isSourceEvent(event: SentEvent): event is SourceEvent {
  return event.type.startsWith('source.');
}

function isAuditEvent(event: SentEvent): event is AuditEvent {
  return event.type === 'audit.recorded';
}

function isTestEvent(event: SentEvent): event is TestEvent {
  return event.type === 'changewire.test';
}

function byPosition(one: SentEvent, other: SentEvent): number {
  return Number(one.sequence) - Number(other.sequence) || indexOf(one) - indexOf(other);
}

function indexOf(event: SentEvent): number {
  return Number(event.id.slice(event.id.lastIndexOf('.') + 1)) || 0;
}
