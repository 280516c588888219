import * as z from 'zod';
import { isTooDeep, type Json, MAX_EVENT_LEVELS } from '../basics/json.ts';
import type { ChangeEvent, HealthEvent } from '../model/event.ts';
import { isHealthEvent } from '../model/filter.ts';

/** The properties that delivery needs. The whole schema would reject additions of a newer publisher. */
const envelope = z.looseObject({
  specversion: z.literal('1.0'),
  // It becomes the header `webhook-id`.
  id: z.string().regex(/^[\x21-\x7e]+$/),
  source: z.string().min(1),
  type: z.string().min(1),
  time: z.iso.datetime(),
  data: z.looseObject({ process: z.looseObject({ id: z.string() }) }),
});
const ofHealth = envelope.extend({ data: z.looseObject({ endpoint: z.looseObject({ name: z.string() }) }) });

/** The event of a message's body, or why the body is malformed. */
export function readEvent(body: string): { event: ChangeEvent | HealthEvent } | { malformed: string } {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return { malformed: 'the message is not valid JSON' };
  }
  if (isTooDeep(value as Json, MAX_EVENT_LEVELS)) return { malformed: 'the message is nested too deep' };
  const isHealth = isHealthEvent(Object(value) as { type: string });
  const read = (isHealth ? ofHealth : envelope).safeParse(value);
  if (read.success) return { event: value as ChangeEvent };
  const wrong = read.error.issues.map(({ path }) => path.join('.') || 'the whole message').join(', ');
  return { malformed: `the message is not a change event; invalid: ${wrong}` };
}

/** Versions are times of commits in ms since 1970, or larger numbers. */
const MIN_VERSION = 1e12;

/** An event's id, and its position in the order of deliveries: its project's version, which is its commit time.
 *  Undefined when the text is not an event. */
export function placeOf(body: string): { readonly id: string; readonly at: number } | undefined {
  const read = readEvent(body);
  if ('malformed' in read) return undefined;
  const { id, time, sequence } = read.event as ChangeEvent & { readonly sequence?: string };
  const version = Number(sequence);
  return { id, at: version >= MIN_VERSION ? version : Date.parse(time) };
}
