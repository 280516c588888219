import type { ChatField } from './chat-topic.ts';
import { valueInWords } from './chat-value.ts';

/** What people first want to know of a record that was created or deleted: who does it, until when, and its
 *  status. service-api.md §2.4 doesn't say how these fields are called, so that each line has the usual
 *  names; the first that the record has counts. */
const WANTED: readonly (readonly string[])[] = [
  ['assignee', 'assignees', 'assignedto', 'responsible', 'owner', 'owners'],
  ['duedate', 'due', 'dueon', 'dueat', 'deadline'],
  ['status', 'state'],
];

/** How many custom fields are shown beside those. */
const OTHERS = 3;

/** The fields of a record that people want to know, and how many custom fields are left out. Identifiers,
 *  timestamps, and values that only JSON could show are not wanted; nor is `name`, which the heading
 *  shows. */
export function wantedFields(
  all: readonly ChatField[],
  name: string | undefined,
): { readonly fields: readonly ChatField[]; readonly untold: number } {
  const readable = all.filter(({ to }) => valueInWords(to) !== undefined);
  const first = WANTED.flatMap(names => firstOf(names, readable) ?? []);
  const isTold = (field: ChatField) => first.includes(field) || isName(field, name);
  const others = readable.filter(field => field.kind === 'custom' && !isTold(field)).slice(0, OTHERS);
  const custom = all.filter(field => field.kind === 'custom' && !isTold(field));
  return { fields: [...first, ...others], untold: custom.length - others.length };
}

function firstOf(names: readonly string[], fields: readonly ChatField[]): ChatField | undefined {
  const matches = names.map(name => fields.find(field => isNamed(field, name)));
  return matches.find(field => field !== undefined);
}

/** Whether a field's property or name is the wanted one, whatever its spelling: `dueDate`, `due_date`, `Due
 *  date`. */
function isNamed({ field, name }: ChatField, wanted: string): boolean {
  return [field, name].some(text => text.replace(/[\s_-]/g, '').toLowerCase() === wanted);
}

function isName({ field, to }: ChatField, name: string | undefined): boolean {
  return (field === 'name' || field === 'title') && to === name;
}
