import type { SentEvent } from './event.ts';
import { Refusal } from './refusal.ts';

/** The event in a verified message. Its sender is trusted, so only the required attributes are checked: a newer
 *  sender may add others.
 *  @throws Refusal 400 */
export function parseEvent(text: string): SentEvent {
  return checkEvent(parseObject(text, 'The event'));
}

/** The events in a verified batch. @throws Refusal 400 */
export function parseBatch(text: string): SentEvent[] {
  const values = parse(text, 'The batch');
  if (Array.isArray(values) && values.every(isObject)) return values.map(checkEvent);
  throw new Refusal(400, 'The batch is not a JSON array of objects.');
}

function checkEvent(value: Record<string, unknown>): SentEvent {
  const texts = [value.id, value.source, value.type, value.sequence];
  const whole = texts.every(part => typeof part === 'string' && part !== '');
  const sequence = /^\d{13,16}$/.test(String(value.sequence));
  if (!whole || !sequence || value.specversion !== '1.0' || !isObject(value.data)) {
    throw new Refusal(400, 'This is not a change event.');
  }
  return value as unknown as SentEvent;
}

/** @throws Refusal 400 if the text is not a JSON object */
export function parseObject(text: string, what: string): Record<string, unknown> {
  const value = parse(text, what);
  if (isObject(value)) return value;
  throw new Refusal(400, `${what} is not a JSON object.`);
}

function parse(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(400, `${what} is not JSON.`);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
