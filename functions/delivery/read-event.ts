import * as z from 'zod';
import type { ChangeEvent } from '../model/event.ts';

/** The properties that delivery needs. The whole schema would refuse what a newer publisher adds. */
const envelope = z.looseObject({
  specversion: z.literal('1.0'),
  // It becomes the header `webhook-id`.
  id: z.string().regex(/^[\x21-\x7e]+$/),
  source: z.string().min(1),
  type: z.string().min(1),
  time: z.iso.datetime(),
  data: z.looseObject({ process: z.looseObject({ id: z.string() }) }),
});

/** The event of a message's body, or what is wrong with the body. */
export function readEvent(body: string): { event: ChangeEvent } | { malformed: string } {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return { malformed: 'the message is not valid JSON' };
  }
  const read = envelope.safeParse(value);
  if (read.success) return { event: value as ChangeEvent };
  const wrong = read.error.issues.map(({ path }) => path.join('.') || 'the whole message').join(', ');
  return { malformed: `the message is not a change event; invalid: ${wrong}` };
}

/** Versions are times of commits in ms since 1970, or larger numbers. */
const MIN_VERSION = 1e12;

/** An event's id, and its place in the order of deliveries: its project's version, which is the time of its
 *  commit. Undefined when the text is no event. */
export function placeOf(body: string): { readonly id: string; readonly at: number } | undefined {
  const read = readEvent(body);
  if ('malformed' in read) return undefined;
  const { id, time, sequence } = read.event as ChangeEvent & { readonly sequence?: string };
  const version = Number(sequence);
  return { id, at: version >= MIN_VERSION ? version : Date.parse(time) };
}
