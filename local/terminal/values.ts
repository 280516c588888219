import { isJsonObject, type Json } from '../../functions/basics/json.ts';
import type { FieldChange } from '../../functions/model/event.ts';
import { columns, cut, printable } from './text.ts';

/** A value as a person reads it; undefined when it is empty by the rules of the comparison: null, "" or
 *  []. */
export function readable(value: Json, type: string): string | undefined {
  if (value === null || value === '' || (Array.isArray(value) && value.length === 0)) return undefined;
  if (typeof value === 'string') return type === 'number' || type === 'date' ? value : `"${value}"`;
  if (Array.isArray(value) && value.every(item => typeof item === 'string')) return value.join(', ');
  return nameOf(value) ?? JSON.stringify(value);
}

/** Both values of a change, printable and together at most `room` columns wide. Long texts that begin
 *  alike are shown from where they differ; room that one value doesn't need is given to the other. With
 *  infinite room both are whole. */
export function readablePair(change: FieldChange, room: number): [string | undefined, string | undefined] {
  let pair = [readable(change.from, change.type), readable(change.to, change.type)] as const;
  // Two objects with the same display name differ in something else: then both are shown whole.
  if (pair[0] === pair[1]) pair = [JSON.stringify(change.from), JSON.stringify(change.to)];
  const longest = Number.isFinite(room) ? LONGEST : undefined;
  const [from, to] = pair.map(text => (text === undefined ? undefined : printable(text.slice(0, longest))));
  if (longest === undefined) return [from, to];
  const [wide, other] = [columns(from ?? EMPTY), columns(to ?? EMPTY)];
  if (wide + other <= room) return [from, to];
  const half = Math.floor(room / 2);
  const widths = [Math.max(half, room - other), Math.max(half, room - wide)] as const;
  const start = from === undefined || to === undefined ? 0 : firstShown(from, to, half);
  return [clip(from, start, widths[0]), clip(to, start, widths[1])];
}

/** The word for an empty value. */
export const EMPTY = 'empty';

// Long enough to find a difference in, short enough to print a thousand of.
const LONGEST = 20_000;

/** Where both texts are shown from: the beginning, unless the difference would be out of sight. */
function firstShown(from: string, to: string, width: number): number {
  let same = 0;
  while (same < from.length && from[same] === to[same]) same++;
  return same < width - 8 ? 0 : same - Math.floor(width / 3);
}

function clip(text: string | undefined, start: number, width: number): string | undefined {
  if (text === undefined) return undefined;
  return start === 0 ? cut(text, width) : cut(`…${text.slice(start).replace(/^[\udc00-\udfff]/, '')}`, width);
}

function nameOf(value: Json): string | undefined {
  if (!isJsonObject(value)) return undefined;
  const name = ['name', 'title', 'label', 'email'].map(key =>
    Object.hasOwn(value, key) ? value[key] : undefined,
  );
  return name.find(text => typeof text === 'string' && text !== '') as string | undefined;
}
