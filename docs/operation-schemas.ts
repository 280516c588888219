import * as z from 'zod';
import { answers } from '../functions/operations/protocol/answers.ts';
import { reply, request } from '../functions/operations/protocol/requests.ts';

/** The JSON Schemas (draft 2020-12) of requests and answers of the operations, by their file in
 *  `docs/schemas/operations`. */
export function operationSchemas(): Record<string, object> {
  return {
    'request.json': titled('Any request. Unknown keys are rejected.', schemaOf(request)),
    'answers.json': titled(
      'The answers, by operation.',
      z.toJSONSchema(z.object(answers), { target: 'draft-2020-12', override }),
    ),
    'reply.json': titled('A response over the network: an answer or a refusal.', schemaOf(reply)),
  };
}

function schemaOf(schema: z.ZodType): object {
  return z.toJSONSchema(schema, { target: 'draft-2020-12', io: 'input', override });
}

function titled(description: string, schema: object): object {
  return { description, ...schema };
}

/** Redundant with `format: date-time`, and 250 characters long. */
function override({ jsonSchema }: { jsonSchema: { format?: unknown; pattern?: unknown } }): void {
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
}
