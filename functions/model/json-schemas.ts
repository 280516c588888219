import * as z from 'zod';
import { sentSchemas } from './event.ts';

/** The JSON Schema of every event type, by type. `docs/schemas` holds those of draft 2020-12. */
export function jsonSchemas(target: 'draft-2020-12' | 'draft-07' = 'draft-2020-12'): Record<string, object> {
  return Object.fromEntries(
    Object.entries(sentSchemas).map(([type, schema]) => [
      type,
      z.toJSONSchema(schema, {
        target,
        override: ({ jsonSchema }) => withoutDatePattern(jsonSchema),
      }),
    ]),
  );
}

/** Removes the pattern of 250 characters that zod adds: `format: date-time` says the same. */
function withoutDatePattern(schema: { format?: unknown; pattern?: unknown }): void {
  if (schema.format === 'date-time') delete schema.pattern;
}
