import type { FieldChange } from '../../model/event.ts';

/** A field that changed, or a field of a record that was created or deleted. */
export type ChatField = Omit<FieldChange, 'type'> & { readonly type?: string };

/** What people look for, by the usual names: status, owner, due date. service-api.md §2.4 doesn't name these fields.
 *  The first name of a row is the most usual one. */
const RELEVANT: readonly (readonly string[])[] = [
  ['status', 'state', 'phase', 'stage'],
  ['assignee', 'assignees', 'assigned', 'assignedto', 'responsible', 'owner', 'owners'],
  ['duedate', 'due', 'dueon', 'dueat', 'deadline'],
];
/** The rank of an owner or assignee. */
export const ASSIGNEE_RANK = 1;
const DUE = 2;
const OTHER_DATE = RELEVANT.length;
const OTHER = OTHER_DATE + 1;

/** The fields with a status first, then owner, due date, other dates and all others, each in their order. */
export function byRelevance(fields: readonly ChatField[]): ChatField[] {
  return fields.toSorted((one, other) => rankOf(one) - rankOf(other));
}

/** The rank of the most relevant field: 0 of a status, larger for what is less relevant. */
export function rankOfAll(fields: readonly ChatField[]): number {
  return Math.min(OTHER, ...fields.map(rankOf));
}

/** Whether a field with a date is a due date by its name. */
export function isDueDate(field: ChatField): boolean {
  return wholeNames(field).some(name => RELEVANT[DUE]?.includes(name));
}

/** Of each row the field with the most usual name. */
export function mostRelevant(fields: readonly ChatField[]): ChatField[] {
  return RELEVANT.flatMap(names => {
    const matches = names.map(name => fields.find(field => wholeNames(field).includes(name)));
    return matches.find(field => field !== undefined) ?? [];
  });
}

/** By the words of its name or identifier, such as `Project status`. A date is never a status or an owner: `Status
 *  since` has the rank of other dates. */
function rankOf(field: ChatField): number {
  const words = [...wholeNames(field), ...[field.field, field.name].flatMap(wordsOf)];
  const row = RELEVANT.findIndex(names => names.some(name => words.includes(name)));
  const isDate = field.type === 'date';
  if (row === -1) return isDate ? OTHER_DATE : OTHER;
  return isDate && row !== DUE ? OTHER_DATE : row;
}

/** Ignores spelling: `dueDate`, `due_date` and `Due date` are the same name. */
function wholeNames({ field, name }: ChatField): string[] {
  return [field, name].map(text => text.replace(/[\s_-]/g, '').toLowerCase());
}

function wordsOf(text: string): string[] {
  return text.split(/[^\p{L}\p{N}]+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u).map(word => word.toLowerCase());
}
