import type { Conditions } from './where.ts';

/** The events that come with time: nothing changed but the hour. */
export const DUE_TYPES = [
  'task.due',
  'task.overdue',
  'project.due',
  'project.overdue',
  'project.unchanged',
] as const;
type DueType = (typeof DUE_TYPES)[number];

export function isDueEvent<Event extends { readonly type: string }>(
  event: Event,
): event is Extract<Event, { type: DueType }> {
  return (DUE_TYPES as readonly string[]).includes(event.type);
}

/** A rule of a process: which event is emitted of which records, and when (docs/rules.md). */
export interface DueRule {
  readonly event: DueType;
  /** The field with the date: its property, or the name that people see. */
  readonly field?: string | undefined;
  /** A span before the date, such as `2d`. */
  readonly before?: string | undefined;
  /** A span after the last change, such as `14d`. */
  readonly after?: string | undefined;
  readonly where?: readonly Conditions[] | undefined;
  /** What fell due since then is emitted, too, though the rule did not exist. */
  readonly since?: string | undefined;
}

/** A rule that a process knows, by the key of its content, and since when it has it, by our clock. */
type KnownRule = readonly [key: string, seenAt: number];

/** The rules that the passes of a process last applied. */
export interface KnownRules {
  readonly rules: readonly KnownRule[];
  readonly timeZone: string;
}

/** What a snapshot keeps of the rules. A value of a record is *decided* once its time has come: its event was emitted,
 *  or its rule did not want one then. */
export interface Due {
  /** The keys of the rules. */
  readonly rules: readonly string[];
  readonly timeZone: string;
  /** Up to this time all values are decided, and no later ones, but for the exceptions. In ms since 1970, our clock. */
  readonly until: number;
  /** When the next value falls due; undefined if none will. A row of the table names it, too. */
  readonly next?: number | undefined;
  /** When the project or a task last changed, where a rule asks for it. */
  readonly changedAt?: number | undefined;
  /** Values for which it is not as `until` states, and decided values that records no longer have. The project's
   *  record has an empty id. */
  readonly except?: readonly Exception[] | undefined;
}

export type Exception = readonly [rule: string, record: string, value: string];

/** The row of a project whose next value falls due at `at`. */
export interface Timer {
  readonly at: number;
  readonly projectId: string;
}
