import type {
  AuditEvent,
  FieldChange,
  FieldEvent,
  ProjectEvent,
  PropertyChange,
  SourceEvent,
  TaskEvent,
} from '../../../functions/model/event.ts';

const common = {
  specversion: '1.0',
  id: 'p.7.1777777777777.0',
  source: '/workspaces/main/processes/p',
  time: '2026-05-04T12:03:11.000Z',
  datacontenttype: 'application/json',
  sequence: '1777777777777',
} as const;
const observed = { after: '2026-05-04T12:02:11.000Z', before: '2026-05-04T12:03:11.000Z' };
const process = { id: 'p' };

/** A changed custom field. */
export function change(
  name: string,
  type: string,
  from: FieldChange['from'],
  to: FieldChange['to'],
): FieldChange {
  return { field: name.toLowerCase(), name, kind: 'custom', type, from, to };
}

export function taskUpdated(
  changes: FieldChange[] = [change('Status', 'single-choice', 'Open', 'In progress')],
  type: TaskEvent['type'] = 'task.updated',
): TaskEvent {
  const project = { id: '7', name: 'Acme GmbH' };
  const task = { id: '1', name: 'Prepare contract' };
  return { ...common, type, data: { process, project, task, changes, observed } } as TaskEvent;
}

export function projectEvent(
  type: ProjectEvent['type'],
  changes: FieldChange[],
  project: { id: string; name?: string } = { id: '7', name: 'Acme GmbH' },
): ProjectEvent {
  return { ...common, type, data: { process, project, changes, observed } } as ProjectEvent;
}

export function fieldEvent(
  type: FieldEvent['type'],
  changes: PropertyChange[],
  more: Partial<FieldEvent['data']['field']> = {},
): FieldEvent {
  const archived = type === 'field.archived';
  const field = {
    entity: 'task',
    externalId: 'due',
    name: 'Due date',
    type: 'date',
    archived,
    ...more,
  } as const;
  return { ...common, id: 'p..1777777777777.0', type, data: { process, field, changes } } as FieldEvent;
}

const about = { ...common, id: 'p..1777777777777.0' };

export function recorded(entry: AuditEvent['data']['entry'], names: readonly string[] = []): AuditEvent {
  const users = names.map(name => ({ id: name.toLowerCase(), name }));
  return { ...about, type: 'audit.recorded', data: { process, entry, projects: [], tasks: [], users } };
}

export function stalled(reason: string): SourceEvent {
  return { ...about, type: 'source.stalled', data: { process, reason, since: observed.after } };
}

export function skipped(reason: string): SourceEvent {
  const data = { process, project: { id: '7' }, reason, since: observed.after };
  return { ...about, type: 'source.skipped', data };
}

export function recovered(): SourceEvent {
  const { after: since, before: until } = observed;
  return { ...about, type: 'source.recovered', data: { process, since, until } };
}

export function held(reason: string): SourceEvent {
  return { ...common, type: 'source.held', data: { process, reason, missing: 40, known: 60 } };
}
