import type { FieldChange } from '../../model/event.ts';

/** What one chat message is about: one project's changes, those of a process's fields, or one event of a process itself. Its texts are data, made
 *  clean and short, and not yet escaped for any chat. */
export interface ChatTopic {
  readonly title: string;
  /** The project's URL, if there is one. */
  readonly link?: string | undefined;
  /** Where it happened: process and workspace. */
  readonly origin: string;
  /** The earliest and the latest observation, in ms since 1970; undefined when the events' times can't be read. */
  readonly observed: { readonly after: number; readonly before: number } | undefined;
  /** What is said in words, where the topic has no records. */
  readonly note?: string;
  /** Who made the changes of all records, in words; undefined where that is not one and the same. */
  readonly by?: string | undefined;
  readonly records: readonly ChatRecord[];
  readonly eventIds: readonly string[];
}

/** A field that changed, or a field of a record that was created or deleted. */
export type ChatField = Omit<FieldChange, 'type'>;

/** One event about a project, a task or a field. */
export interface ChatRecord {
  readonly entity: 'project' | 'task' | 'project field' | 'task field';
  readonly action: 'created' | 'updated' | 'archived' | 'deleted';
  readonly id: string;
  readonly name: string;
  /** The record's URL, if there is one. */
  readonly link?: string | undefined;
  /** The fields that changed; of a record that was created or deleted, those that people want to know. */
  readonly fields: readonly ChatField[];
  /** How many filled custom fields of a new record are not in `fields`. */
  readonly untold: number;
  /** Who made the change, in words; undefined when that is not known, or said of the whole topic. */
  readonly by?: string | undefined;
  /** True when more fields changed than the event could carry (`truncated`). */
  readonly isIncomplete: boolean;
}
