import * as z from 'zod';

/** The JSON Schema (draft 2020-12) of a value as it is sent (`input`) or answered (`output`). */
export function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output' = 'input') {
  return z.toJSONSchema(schema, { target: 'draft-2020-12', io, override });
}

/** Redundant with `format: date-time`, and 250 characters long. */
function override({ jsonSchema }: { jsonSchema: { format?: unknown; pattern?: unknown } }): void {
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
}
