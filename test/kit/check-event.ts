import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { CloudEvent } from 'cloudevents';
import { expect } from 'vitest';
import type { SentEvent } from '../../functions/model/event.ts';
import { jsonSchemas } from '../../functions/model/event.ts';

const ajv = new Ajv2020({ allErrors: true });
formats.default(ajv);
const validators = new Map(
  Object.entries(jsonSchemas()).map(([type, schema]) => [type, ajv.compile(schema)]),
);

/** Fails unless each event is as its JSON Schema and the CloudEvents library say. Returns them, for further looks. */
export function checkEvents<Event extends SentEvent>(events: readonly Event[]): readonly Event[] {
  for (const event of events) {
    const validate = validators.get(event.type);
    expect(validate, `a schema for ${event.type}`).toBeDefined();
    expect(validate?.(event) ? [] : validate?.errors, `${event.type} against its schema`).toEqual([]);
    expect(new CloudEvent(event as object as Record<string, unknown>, true).id).toBe(event.id);
  }
  return events;
}
