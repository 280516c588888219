import type { EventType, FilterType } from '../../functions/model/event.ts';
import { HEALTH_TYPES } from '../../functions/model/filter.ts';

const NAMES: Record<EventType, true> = {
  'project.created': true,
  'project.updated': true,
  'project.deleted': true,
  'task.created': true,
  'task.updated': true,
  'task.deleted': true,
  'task.due': true,
  'task.overdue': true,
  'project.due': true,
  'project.overdue': true,
  'project.unchanged': true,
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

/** Every event type that an endpoint's filter can name, by kind. */
export const FILTER_TYPES: readonly { readonly kind: string; readonly types: readonly FilterType[] }[] = [
  ...EVENT_TYPES,
  { kind: 'other endpoints', types: HEALTH_TYPES },
];
