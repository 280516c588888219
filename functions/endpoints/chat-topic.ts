import type { FieldChange } from '../changes/event.ts';

/** What one chat message is about: one project's changes, those of a process's fields, or one event of a process itself. Its texts are data, made
 *  clean and short, and not yet escaped for any chat. */
export interface ChatTopic {
  readonly title: string;
  /** Where the project can be seen, if it can. */
  readonly link?: string | undefined;
  /** Where it happened: process and workspace. */
  readonly origin: string;
  /** The earliest and the latest observation, in ms since 1970; undefined when the events' times can't be read. */
  readonly observed: { readonly after: number; readonly before: number } | undefined;
  /** What is told in words instead of records. */
  readonly note?: string;
  readonly records: readonly ChatRecord[];
  readonly eventIds: readonly string[];
}

/** A field that changed, or that a record that came or went has. */
export type ChatField = Omit<FieldChange, 'type'>;

/** One event about a project, a task or a field. */
export interface ChatRecord {
  readonly entity: 'project' | 'task' | 'project field' | 'task field';
  readonly action: 'created' | 'updated' | 'archived' | 'deleted';
  readonly id: string;
  readonly name: string;
  /** Where the record can be seen, if it can. */
  readonly link?: string | undefined;
  /** What changed; of a record that came or went what people want to know of it. */
  readonly fields: readonly ChatField[];
  /** How many filled fields of a new record are not in `fields`. */
  readonly untold: number;
  /** More fields changed than the event could carry (`truncated`). */
  readonly isIncomplete: boolean;
}
