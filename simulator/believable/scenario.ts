import type { Field, FieldType } from '../data/workspace.ts';

/** The vocabulary of a process. */
export interface Scenario {
  readonly id: string;
  readonly name: string;
  /** Names of projects, in the order of use; more than a workspace starts with. */
  readonly projectNames: readonly string[];
  /** Tasks in the order of the work; a project has most of them. */
  readonly taskNames: readonly string[];
  readonly tags: readonly string[];
  readonly projectFields: readonly Field[];
  readonly taskFields: readonly Field[];
  /** Values of text fields, by `externalId`. */
  readonly texts: Readonly<Record<string, readonly string[]>>;
  /** Low, high and step of number fields, by `externalId`. */
  readonly numbers: Readonly<Record<string, readonly [low: number, high: number, step: number]>>;
}

/** The statuses of a task, in order. */
export const TASK_STATUSES = ['To do', 'In progress', 'In review', 'Done'] as const;

/** A field's definition in one line. */
export function field(
  group: string,
  externalId: string,
  name: string,
  type: FieldType,
  options: readonly string[] = [],
): Field {
  return { externalId, name, type, options, group, archived: false };
}
