import { isDueEvent } from '../../model/due.ts';
import type { LinkTemplate, LinkTemplates } from '../../model/endpoint.ts';
import type {
  AuditEvent,
  ChangeEvent,
  DueEvent,
  FieldEvent,
  HealthEvent,
  ProjectEvent,
  SentEvent,
  SourceEvent,
  TaskEvent,
  TestEvent,
} from '../../model/event.ts';
import { isHealthEvent } from '../../model/filter.ts';
import { rankOfAll } from './chat-relevance.ts';
import { cleanText, label } from './chat-text.ts';
import {
  type ChatRecord,
  type ChatTopic,
  chatRecord,
  dueRecord,
  fieldRecord,
  withSharedActors,
} from './chat-topic.ts';
import { dueText } from './chat-view.ts';

const TITLE_LENGTH = 140;

type RecordEvent = ProjectEvent | TaskEvent | DueEvent;
type NonEmpty<Event> = [Event, ...Event[]];

/** The topics of a batch, in order of first appearance: one per project (by workspace, process and id) with its
 *  events by sequence and index; per process one with its fields' events and one with its audit entries; one per
 *  `source.*` event, per event about an endpoint and per test. Duplicate events are dropped. `isSummedUp`: records that
 *  were deleted come first, then those that were created. */
export function chatTopics(
  events: readonly SentEvent[],
  templates?: LinkTemplates,
  isSummedUp = false,
): ChatTopic[] {
  const unique = [...new Map(events.map(event => [event.id, event])).values()];
  const groups = Map.groupBy(unique, subjectOf);
  return [...groups.values()].map(group => {
    const sorted = group.sort(byPosition) as NonEmpty<SentEvent>;
    const [first] = sorted;
    if (isSourceEvent(first)) return sourceTopic(first);
    if (isHealthEvent(first)) return healthTopic(first);
    if (isTestEvent(first)) return testTopic(first);
    if (isAuditEvent(first)) return auditTopic(sorted as NonEmpty<AuditEvent>);
    return isFieldEvent(first)
      ? fieldsTopic(sorted as NonEmpty<FieldEvent>)
      : projectTopic(sorted as NonEmpty<RecordEvent>, isSummedUp, templates);
  });
}

/** Events with the same subject share a topic. They are of one kind. */
export function subjectOf(event: SentEvent): string {
  if (isRecordEvent(event)) return JSON.stringify([event.source, event.data.project.id]);
  // A source is never the name of a type, so a project id cannot produce the same subject.
  if (isAuditEvent(event)) return JSON.stringify([event.type, event.source]);
  return JSON.stringify(isFieldEvent(event) ? [event.source] : [event.id]);
}

function fieldsTopic(events: NonEmpty<FieldEvent>): ChatTopic {
  return {
    title: 'Custom fields',
    origin: originOf(events[0]),
    observed: spanOf(events.map(({ time }) => ({ after: time, before: time }))),
    records: events.map(fieldRecord),
    eventIds: events.map(event => event.id),
  };
}

function projectTopic(
  events: NonEmpty<RecordEvent>,
  isSummedUp: boolean,
  templates?: LinkTemplates,
): ChatTopic {
  const project = events.findLast(event => cleanText(event.data.project.name ?? '') !== '') ?? events[0];
  const { id, name = '' } = project.data.project;
  const byRelevance = recordsByRelevance(events);
  const all = isSummedUp ? byRelevance.toSorted((one, other) => rankIn(one) - rankIn(other)) : byRelevance;
  const ordered = withoutRepeated(all);
  const records = ordered.map(recordOf);
  const actors = ordered.map(({ data }) => ('actors' in data ? data.actors : undefined));
  const exists = isNotDeletedIn(records);
  const hasProject = exists({ entity: 'project', id });
  const linked = ordered.map((event, index) => {
    const record = records[index] as ChatRecord;
    const isLinked = record.entity === 'task' && record.action !== 'deleted' && hasProject && exists(record);
    return isLinked ? { ...record, link: taskLink(event as TaskEvent, templates) } : record;
  });
  return {
    title: label(name, TITLE_LENGTH) || `Project ${label(id, TITLE_LENGTH - 8)}`.trim(),
    link: hasProject ? projectLink(events[0], templates) : undefined,
    origin: originOf(events[0]),
    observed: spanOf(
      events.map(({ data, time }) => ('observed' in data ? data.observed : { after: time, before: time })),
    ),
    ...withSharedActors(linked, actors),
    eventIds: events.map(event => event.id),
  };
}

function recordOf(event: RecordEvent): ChatRecord {
  return isDueEvent(event) ? dueRecord(event) : chatRecord(event);
}

/** Several rules can state the same of a record: it is shown once. */
function withoutRepeated(events: readonly RecordEvent[]): RecordEvent[] {
  const stated = new Set<string>();
  return events.filter(event => {
    if (!isDueEvent(event)) return true;
    const record = dueRecord(event);
    const key = JSON.stringify([record.entity, record.id, dueText(record)]);
    return !stated.has(key) && stated.add(key);
  });
}

/** The events by the most relevant change of their record: what people look for comes first, also in the notification.
 *  Those of one record stay together, in their order. */
function recordsByRelevance(events: readonly RecordEvent[]): RecordEvent[] {
  const recordOf = ({ data }: RecordEvent) => ('task' in data ? `task ${data.task.id}` : 'project');
  const records = [...Map.groupBy(events, recordOf).values()].map(some => ({
    some,
    // A record that appears or disappears is as relevant as a status.
    rank: Math.min(
      ...some.map(({ type, data }) =>
        type.endsWith('.updated') && 'changes' in data ? rankOfAll(data.changes) : 0,
      ),
    ),
  }));
  return records.toSorted((one, other) => one.rank - other.rank).flatMap(({ some }) => some);
}

function rankIn({ type }: RecordEvent): number {
  return type.endsWith('.deleted') ? 0 : type.endsWith('.created') ? 1 : 2;
}

/** Whether these events did not delete a record: a link to a deleted one is broken. */
function isNotDeletedIn(records: readonly ChatRecord[]) {
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

/** The order of commits. */
export function byPosition(one: SentEvent, other: SentEvent): number {
  return Number(one.sequence) - Number(other.sequence) || indexOf(one) - indexOf(other);
}

function indexOf(event: SentEvent): number {
  return Number(event.id.slice(event.id.lastIndexOf('.') + 1)) || 0;
}

const [MAX_ENTRIES, ENTRY_LENGTH] = [5, 300];
const USER_LENGTH = 60;

/** New entries of a process's audit log: the users, and the text of the service. */
function auditTopic(events: readonly [AuditEvent, ...AuditEvent[]]): ChatTopic {
  const left = events.length - MAX_ENTRIES;
  const shown = events.slice(0, MAX_ENTRIES).map(entryText);
  return {
    title: 'Audit log',
    note: [...shown, ...(left > 0 ? [`and ${left.toLocaleString('en')} more`] : [])].join(' · '),
    origin: originOf(events[0]),
    observed: spanOf(events.map(({ time }) => ({ after: time, before: time }))),
    records: [],
    eventIds: events.map(({ id }) => id),
  };
}

function entryText({ data: { entry, users } }: AuditEvent): string {
  const who = users.map(({ id, name }) => label(name ?? id, USER_LENGTH)).join(', ');
  const text = label(typeof entry === 'string' ? entry : JSON.stringify(entry), ENTRY_LENGTH);
  return who === '' ? text : `${who}: ${text}`;
}

const ID_LENGTH = 120;

/** An event about a process as a whole (`source.*`) as a chat shows it. */
function sourceTopic(event: SourceEvent): ChatTopic {
  return {
    ...titleAndNoteOf(event),
    origin: originOf(event),
    observed: spanOf([{ after: 'since' in event.data ? event.data.since : event.time, before: event.time }]),
    records: [],
    eventIds: [event.id],
  };
}

/** The titles contain no data: Teams reads them as markdown. */
function titleAndNoteOf(event: SourceEvent): { title: string; note: string } {
  switch (event.type) {
    case 'source.held':
      return {
        title: 'Deletions are on hold',
        note: label(event.data.reason, 1_000) || 'An operator must review them.',
      };
    case 'source.stalled':
      return {
        title: 'Changes are late',
        note: `No change is lost: all are sent once the source can be read again. Last error: ${label(event.data.reason, 800)}`,
      };
    case 'source.skipped': {
      const id = label(event.data.project.id, ID_LENGTH);
      return {
        title: 'A project is skipped',
        note: `Changes of project ${id} are delayed, not lost; other projects are not affected. Last error: ${label(event.data.reason, 800)}`,
      };
    }
    case 'source.recovered':
      return {
        title: 'Changes are sent again',
        note: 'The source can be read again. All changes since the interruption were sent; no change was lost.',
      };
  }
}

const ENDPOINT_LENGTH = 64;

/** A test event as a chat shows it. */
function testTopic({ id, time, data }: TestEvent): ChatTopic {
  const at = Date.parse(time);
  return {
    title: 'This is a test',
    note: 'Changewire can deliver events here. No data was changed.',
    origin: `endpoint ${label(data.endpoint.name, ENDPOINT_LENGTH)}`,
    observed: Number.isNaN(at) ? undefined : { after: at, before: at },
    records: [],
    eventIds: [id],
  };
}

const HEALTH_TITLES: Readonly<Record<HealthEvent['type'], string>> = {
  'endpoint.failing': 'An endpoint is failing',
  'endpoint.recovered': 'An endpoint accepts events again',
  'endpoint.stopped': 'An endpoint is stopped',
  'delivery.dead': 'Events were given up',
};

/** An event about another endpoint as a chat shows it. */
function healthTopic(event: HealthEvent): ChatTopic {
  const { id, type, time, data } = event;
  const { name, origin: address = '' } = data.endpoint;
  const endpoint = [label(name, ENDPOINT_LENGTH), label(address, ID_LENGTH)].filter(part => part !== '');
  return {
    title: HEALTH_TITLES[type],
    note: `${endpoint.join(', ')}: ${healthInWords(event)}`,
    origin: `endpoint ${endpoint[0] ?? ''}`.trim(),
    observed: spanOf([{ after: data.since, before: time }]),
    records: [],
    eventIds: [id],
  };
}

function healthInWords(event: HealthEvent): string {
  const { type, data } = event;
  const since = `since ${data.since.slice(0, 16).replace('T', ' ')} UTC`;
  switch (type) {
    case 'endpoint.failing':
      return `failing ${since}: ${label(data.reason, 800)}. Its events are queued.`;
    case 'endpoint.recovered':
      return `works again, after a problem ${since}. Its queued events are sent.`;
    case 'endpoint.stopped':
      return `stopped ${since}: ${label(data.reason, 800)}. Its events are queued until an operator resumes it.`;
    case 'delivery.dead': {
      const count = data.deliveries.toLocaleString('en');
      return `${count} given up ${since}, and kept as dead letters: ${label(data.reason, 800)}`;
    }
  }
}

const ORIGIN_LENGTH = 60;

function originOf(event: ChangeEvent): string {
  const { id } = event.data.process;
  return `process ${label(id, ORIGIN_LENGTH)} · workspace ${label(workspaceOf(event), ORIGIN_LENGTH)}`;
}

/** The workspace's name. A configured name has no character that the source would encode. */
function workspaceOf({ source }: ChangeEvent): string {
  return source.split('/')[2] ?? '';
}

function spanOf(observed: readonly { after: string; before: string }[]): ChatTopic['observed'] {
  const after = Math.min(...observed.map(span => Date.parse(span.after)));
  const before = Math.max(...observed.map(span => Date.parse(span.before)));
  return Number.isNaN(after) || Number.isNaN(before) ? undefined : { after, before };
}

/** A longer link is left out, which leaves room for changes. */
const LINK_LENGTH = 1_000;

function projectLink(event: RecordEvent, templates?: LinkTemplates): string | undefined {
  const { process, project } = event.data;
  return filled(templateOf(event, templates)?.project, { processId: process.id, projectId: project.id });
}

function taskLink(event: TaskEvent, templates?: LinkTemplates): string | undefined {
  const { process, project, task } = event.data;
  const values = { processId: process.id, projectId: project.id, taskId: task.id };
  return filled(templateOf(event, templates)?.task, values);
}

function templateOf(event: RecordEvent, templates?: LinkTemplates): LinkTemplate | undefined {
  const name = workspaceOf(event);
  return templates?.find(({ workspace }) => workspace === name);
}

function filled(template: string | undefined, values: Readonly<Record<string, string>>): string | undefined {
  // Browsers take `.` and `..` for steps in a path, even encoded: the link would lead somewhere else.
  if (template === undefined || Object.values(values).some(value => value === '.' || value === '..')) return;
  const link = template.replace(/\{(\w+)\}/g, (_, name: string) => encoded(values[name] as string));
  return link.length > LINK_LENGTH ? undefined : link;
}

/** Percent-encoded, with the five characters that `encodeURIComponent` leaves alone: programs that find links
 *  in texts may take them for punctuation or formatting. */
function encoded(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replace(
    /[!'()*]/g,
    mark => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
