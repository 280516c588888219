import type { ChangeLine } from './change-line.ts';

/** The filter of the live view. Empty texts exclude nothing. */
export interface LineFilter {
  /** Each of these words must be part of the line. */
  readonly words: string;
  /** `task.updated`, or all of one kind: `task`. */
  readonly type: string;
  /** Part of the label or of the property. */
  readonly field: string;
  /** `workspace/process`. */
  readonly process: string;
  /** Committed at this time or later, and before `until`; ISO 8601. */
  readonly since: string;
  readonly until: string;
}

export const EVERYTHING: LineFilter = { words: '', type: '', field: '', process: '', since: '', until: '' };

export function isFiltered(filter: LineFilter): boolean {
  return Object.values(filter).some(text => text.trim() !== '');
}

/** The same filter of all times. */
export function ofAllTimes(filter: LineFilter): LineFilter {
  return { ...filter, since: '', until: '' };
}

/** A predicate for lines. */
export function lineMatcher(filter: LineFilter): (line: ChangeLine) => boolean {
  const words = filter.words.toLowerCase().split(/\s+/).filter(Boolean);
  const field = filter.field.trim().toLowerCase();
  const { type, process } = filter;
  const [since, until] = [Date.parse(filter.since), Date.parse(filter.until)];
  return line =>
    !(line.at < since || line.at >= until) &&
    (type === '' || line.type === type || line.type.startsWith(`${type}.`)) &&
    (process === '' || `${line.workspace}/${line.process}` === process) &&
    (field === '' || line.changes.some(change => isOf(change, field))) &&
    words.every(word => line.words.includes(word));
}

function isOf({ field, label }: ChangeLine['changes'][number], wanted: string): boolean {
  return field.toLowerCase().includes(wanted) || label.toLowerCase().includes(wanted);
}
