import * as z from 'zod';
import { answers } from '../functions/operations/protocol/answers.ts';
import { reply, request } from '../functions/operations/protocol/requests.ts';

/** The JSON Schemas of what people may ask, and of what is answered, in draft 2020-12: what
 *  `docs/schemas/operations` holds, by file. */
export function operationSchemas(): Record<string, object> {
  return {
    'request.json': titled('Any request. Unknown keys are refused.', schemaOf(request)),
    'answers.json': titled(
      'What is answered, by operation.',
      z.toJSONSchema(z.object(answers), { target: 'draft-2020-12', override }),
    ),
    'reply.json': titled('What comes back over a wire: an answer, or a refusal.', schemaOf(reply)),
  };
}

function schemaOf(schema: z.ZodType): object {
  return z.toJSONSchema(schema, { target: 'draft-2020-12', io: 'input', override });
}

function titled(description: string, schema: object): object {
  return { description, ...schema };
}

/** `format: date-time` covers it; the pattern that zod adds takes 250 characters more. */
function override({ jsonSchema }: { jsonSchema: { format?: unknown; pattern?: unknown } }): void {
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
}
