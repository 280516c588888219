import type { FieldChange, PropertyChange } from '../../functions/model/event.ts';
import type { AnswerOf } from '../../functions/operations/protocol/answers.ts';

/** An event of the journal, as the operation `events` answers it. */
export type Committed = AnswerOf<'events'>['events'][number];

interface Named {
  readonly id: string;
  readonly name?: string;
}

/** The parts of an event that the page shows. Another version may have written the event, so that everything except its
 *  id and type is checked. */
export interface EventData {
  readonly process?: { readonly id: string };
  readonly project?: Named;
  readonly task?: Named;
  readonly field?: { readonly entity: string; readonly name: string; readonly externalId: string };
  readonly changes?: readonly (FieldChange | (PropertyChange & { readonly kind?: never }))[];
  readonly observed?: { readonly after: string; readonly before: string };
  readonly reason?: string;
  readonly missing?: number;
  readonly actors?: readonly Named[];
  /** An entry of the audit log: an object, or a text if it was too long. */
  readonly entry?: unknown;
  /** The date of a record that falls due, and since when a project did not change. */
  readonly value?: string;
  readonly since?: string;
  readonly after?: string;
  readonly truncated?: readonly string[];
}

/** The parts of the event's data that have the expected form. */
export function dataOf({ event }: Pick<Committed, 'event'>): EventData {
  const { data } = event;
  if (!isObject(data)) return {};
  const { process, project, task, field, changes, observed, reason, missing, actors, entry, truncated } =
    data;
  const { value, since, rule } = data;
  const parts = {
    process: isNamed(process) ? process : undefined,
    project: isNamed(project) ? project : undefined,
    task: isNamed(task) ? task : undefined,
    field: isObject(field) && typeof field.name === 'string' ? field : undefined,
    changes: Array.isArray(changes) ? changes.filter(isChange) : undefined,
    observed: isObject(observed) && typeof observed.after === 'string' ? observed : undefined,
    reason: typeof reason === 'string' ? reason : undefined,
    missing: typeof missing === 'number' ? missing : undefined,
    actors: Array.isArray(actors) ? actors.filter(isNamed) : undefined,
    entry,
    value: typeof value === 'string' ? value : undefined,
    since: typeof since === 'string' ? since : undefined,
    after: isObject(rule) && typeof rule.after === 'string' ? rule.after : undefined,
    truncated: Array.isArray(truncated) ? truncated.map(String) : undefined,
  };
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined)) as EventData;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isNamed(value: unknown): boolean {
  return (
    isObject(value) &&
    typeof value.id === 'string' &&
    (value.name === undefined || typeof value.name === 'string')
  );
}

function isChange(value: unknown): boolean {
  if (!isObject(value) || typeof value.field !== 'string') return false;
  const { name, added, removed } = value;
  const isList = (list: unknown) => list === undefined || Array.isArray(list);
  return (name === undefined || typeof name === 'string') && isList(added) && isList(removed);
}

/** The workspace in the source, `/workspaces/<workspace>/processes/<process>`. */
export function workspaceOf({ event }: Pick<Committed, 'event'>): string {
  return typeof event.source === 'string' ? (event.source.split('/')[2] ?? '') : '';
}

/** The event without the whole records. */
export function withoutRecords({ committedAt, event }: Committed): Committed {
  const { data } = event as { data?: unknown };
  if (!isObject(data)) return { committedAt, event };
  const bare = (named: unknown) => {
    if (!isObject(named)) return named;
    const { record: _, ...rest } = named;
    return rest;
  };
  const parts = Object.entries(data).map(([key, part]) => [
    key,
    key === 'project' || key === 'task' ? bare(part) : part,
  ]);
  return { committedAt, event: { ...event, data: Object.fromEntries(parts) } };
}
