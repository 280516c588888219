import type { ChatField } from './chat-topic.ts';
import { valueInWords } from './chat-value.ts';

/** What people want to know first of a record that came or went, by the names that it usually has (service-api.md §2.4 shows none): who does
 *  it, until when, and how it stands. Of each line the first name that there is. */
const WANTED: readonly (readonly string[])[] = [
  ['assignee', 'assignees', 'assignedto', 'responsible', 'owner', 'owners'],
  ['duedate', 'due', 'dueon', 'dueat', 'deadline'],
  ['status', 'state'],
];

/** So many custom fields beside those. */
const OTHERS = 3;

/** Of a record's fields those that people want to know, and how many more custom fields are filled. Identifiers, timestamps and
 *  whatever could only be told as JSON are not among them. `name`: the record's, which its heading tells. */
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

/** Whether its property, or its name as people see it, is this one: `dueDate`, `due_date` and `Due date` are. */
function isNamed({ field, name }: ChatField, wanted: string): boolean {
  return [field, name].some(text => text.replace(/[\s_-]/g, '').toLowerCase() === wanted);
}

function isName({ field, to }: ChatField, name: string | undefined): boolean {
  return (field === 'name' || field === 'title') && to === name;
}
