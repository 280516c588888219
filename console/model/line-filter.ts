import type { ChangeLine } from './change-line.ts';
import { sinceTime } from './times.ts';

/** The filter of the live view and of the history. Empty texts exclude nothing. */
export interface LineFilter {
  /** Each of these words must be part of the line. */
  readonly words: string;
  /** `task.updated`, or all of one kind: `task`. */
  readonly type: string;
  /** Part of the label or of the property. */
  readonly field: string;
  /** Part of the name of an actor. */
  readonly person: string;
  /** `workspace/process`. */
  readonly process: string;
  /** Committed at this time or later, and before `until`; ISO 8601. In an address also a word, such as `monday`. */
  readonly since: string;
  readonly until: string;
}

export const EVERYTHING: LineFilter = {
  ...{ words: '', type: '', field: '', person: '', process: '' },
  ...{ since: '', until: '' },
};

/** The filter in the query of an address, which people write and edit, too: times that cannot be read are dropped. */
export function filterIn(query: Readonly<Record<string, string>>): LineFilter {
  const { words, type, field, person, process, since, until } = { ...EVERYTHING, ...query };
  const { workspace } = query;
  return {
    ...{ words, type, field, person },
    // Links to a process have its workspace apart.
    process: workspace === undefined || process === '' ? process : `${workspace}/${process}`,
    since: sinceTime(since, 0) === undefined ? '' : since,
    until: Number.isNaN(Date.parse(until)) ? '' : until,
  };
}

/** With times in ISO 8601 instead of words. */
export function withTimes(filter: LineFilter, now: number): LineFilter {
  const at = sinceTime(filter.since, now);
  return {
    ...filter,
    since: at === undefined ? '' : new Date(at).toISOString(),
    until: filter.until === '' ? '' : new Date(filter.until).toISOString(),
  };
}

/** The process of a filter, as the operations name it. */
export function processOf({ process }: LineFilter): {
  readonly workspace?: string;
  readonly process?: string;
} {
  const [workspace = '', ...id] = process.split('/');
  return process === '' ? {} : { workspace, process: id.join('/') };
}

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
  const person = filter.person.trim().toLowerCase();
  const { type, process } = filter;
  const [since, until] = [Date.parse(filter.since), Date.parse(filter.until)];
  return line =>
    !(line.at < since || line.at >= until) &&
    (type === '' || line.type === type || line.type.startsWith(`${type}.`)) &&
    (process === '' || `${line.workspace}/${line.process}` === process) &&
    (field === '' || line.changes.some(change => isOf(change, field))) &&
    (person === '' || line.actors.some(({ name }) => name.toLowerCase().includes(person))) &&
    words.every(word => line.words.includes(word));
}

function isOf({ field, label }: ChangeLine['changes'][number], wanted: string): boolean {
  return field.toLowerCase().includes(wanted) || label.toLowerCase().includes(wanted);
}
