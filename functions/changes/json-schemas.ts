import * as z from 'zod';
import { sentSchemas } from './event.ts';

/** The JSON Schema of every event type, by type: in draft 2020-12, what `docs/schemas` holds. */
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

/** `format: date-time` says it; the pattern that zod adds says it in 250 characters more. */
function withoutDatePattern(schema: { format?: unknown; pattern?: unknown }): void {
  if (schema.format === 'date-time') delete schema.pattern;
}
