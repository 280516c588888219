import type { EventType } from '../../functions/model/event.ts';

const NAMES: Record<EventType, true> = {
  'project.created': true,
  'project.updated': true,
  'project.deleted': true,
  'task.created': true,
  'task.updated': true,
  'task.deleted': true,
  'field.created': true,
  'field.updated': true,
  'field.archived': true,
  'field.deleted': true,
  'source.held': true,
  'source.stalled': true,
  'source.recovered': true,
  'source.skipped': true,
  'audit.recorded': true,
};

const ALL = Object.keys(NAMES) as EventType[];

/** Every event type, by kind. */
export const EVENT_TYPES = ['project', 'task', 'field', 'source', 'audit'].map(kind => ({
  kind,
  types: ALL.filter(type => type.startsWith(`${kind}.`)),
}));
