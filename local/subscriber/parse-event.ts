import { type ChangeEvent, eventSchemas } from '../../functions/changes/event.ts';
import { isJsonObject } from '../../functions/json.ts';
import { Refusal } from './refusal.ts';

/** The change event in a message; refuses with 400, naming the first path that is wrong. */
export function parseEvent(message: string): ChangeEvent {
  let value: unknown;
  try {
    value = JSON.parse(message);
  } catch {
    throw new Refusal(400, 'The message is no JSON.');
  }
  const type = isJsonObject(value) ? value.type : undefined;
  const schemas = new Map<unknown, (typeof eventSchemas)[keyof typeof eventSchemas]>(
    Object.entries(eventSchemas),
  );
  const result = schemas.get(type)?.safeParse(value);
  if (result === undefined) throw new Refusal(400, 'The message is no change event: its type is unknown.');
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw new Refusal(400, `The change event is wrong at ${issue?.path.join('.')}: ${issue?.message}.`);
}
