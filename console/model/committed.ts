import type { FieldChange, PropertyChange } from '../../functions/changes/event.ts';
import type { AnswerOf } from '../../functions/operations/protocol/answers.ts';

/** An event of the journal, as it is answered. */
export type Committed = AnswerOf<'events'>['events'][number];

interface Named {
  readonly id: string;
  readonly name?: string;
}

/** What the page reads of an event. Another version may have written it: nothing is taken for granted but its id and its type. */
export interface EventData {
  readonly process?: { readonly id: string };
  readonly project?: Named;
  readonly task?: Named;
  readonly field?: { readonly entity: string; readonly name: string; readonly externalId: string };
  readonly changes?: readonly (FieldChange | (PropertyChange & { readonly kind?: never }))[];
  readonly observed?: { readonly after: string; readonly before: string };
  readonly reason?: string;
  readonly missing?: number;
  readonly truncated?: readonly string[];
}

export function dataOf({ event }: Pick<Committed, 'event'>): EventData {
  const { data } = event;
  return typeof data === 'object' && data !== null ? (data as EventData) : {};
}

/** Of `/workspaces/<workspace>/processes/<process>`. */
export function workspaceOf({ event }: Pick<Committed, 'event'>): string {
  return typeof event.source === 'string' ? (event.source.split('/')[2] ?? '') : '';
}

/** The event without its whole records: what changed, and where. */
export function withoutRecords({ committedAt, event }: Committed): Committed {
  const { data } = event as { data?: unknown };
  if (typeof data !== 'object' || data === null) return { committedAt, event };
  const bare = (named: unknown) => {
    if (typeof named !== 'object' || named === null) return named;
    const { record: _, ...rest } = named as Record<string, unknown>;
    return rest;
  };
  const parts = Object.entries(data).map(([key, part]) => [
    key,
    key === 'project' || key === 'task' ? bare(part) : part,
  ]);
  return { committedAt, event: { ...event, data: Object.fromEntries(parts) } };
}
