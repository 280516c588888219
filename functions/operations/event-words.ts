import type { Json } from '../basics/json.ts';
import type { ChangeEvent } from '../model/event.ts';

/** Prepares a text search: every word must be part of one of the event's texts, in any case. */
export function wordMatcher(search: string): (event: ChangeEvent) => boolean {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return event => {
    const text = textOf(event);
    return words.every(word => text.includes(word));
  };
}

/** The whole record, and when it was read: no part of what changed. */
const LEFT_OUT: ReadonlySet<string> = new Set(['record', 'observed', 'truncated']);

/** All that an event says, in lower case: type, ids, names, actors, fields and values. */
function textOf({ type, source, id, data }: ChangeEvent): string {
  const texts: string[] = [type, source, id];
  gather(data as unknown as Json, texts);
  return texts.join('\n').toLowerCase();
}

function gather(value: Json, texts: string[]): void {
  if (typeof value !== 'object') texts.push(String(value));
  else if (Array.isArray(value)) for (const each of value) gather(each, texts);
  else for (const [name, each] of Object.entries(value ?? {})) if (!LEFT_OUT.has(name)) gather(each, texts);
}
