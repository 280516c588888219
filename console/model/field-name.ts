import { cleanText, cutText } from '../../functions/delivery/chat/chat-text.ts';

const MAX_LABEL = 60;

/** The label of a field: the name of a custom field, or the property of a built-in one in words, `dueDate` as
 *  `Due date`. */
export function fieldLabel({ name, kind }: { readonly name: string; readonly kind?: string }): string {
  const text = cleanText(name);
  const words = kind === 'builtin' && /^[A-Za-z][A-Za-z0-9_]*$/.test(text) ? inWords(text) : text;
  return cutText(words, MAX_LABEL) || '(no name)';
}

function inWords(property: string): string {
  const words = property
    .replaceAll(/_+/g, ' ')
    .replaceAll(/([a-z0-9])([A-Z])/g, (_, end: string, start: string) => `${end} ${start.toLowerCase()}`)
    .trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
