import { cleanText, cutText } from '../../functions/delivery/chat/chat-text.ts';

const LIMIT = 60;

/** What people call a field: a custom field by its name, a built-in one by its property in words,
 *  `dueDate` as `Due date`. */
export function fieldLabel({ name, kind }: { readonly name: string; readonly kind?: string }): string {
  const text = cleanText(name);
  const words = kind === 'builtin' && /^[A-Za-z][A-Za-z0-9_]*$/.test(text) ? inWords(text) : text;
  return cutText(words, LIMIT) || '(no name)';
}

function inWords(property: string): string {
  const words = property
    .replaceAll(/_+/g, ' ')
    .replaceAll(/([a-z0-9])([A-Z])/g, (_, end: string, start: string) => `${end} ${start.toLowerCase()}`)
    .trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
