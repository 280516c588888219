import * as z from 'zod';
import { answers } from '../functions/operations/protocol/answers.ts';
import { jsonSchemaOf } from '../functions/operations/protocol/json-schema.ts';
import { reply, request } from '../functions/operations/protocol/requests.ts';

/** The JSON Schemas (draft 2020-12) of requests and answers of the operations, by their file in
 *  `docs/schemas/operations`. */
export function operationSchemas(): Record<string, object> {
  return {
    'request.json': titled('Any request. Unknown keys are rejected.', jsonSchemaOf(request)),
    'answers.json': titled('The answers, by operation.', jsonSchemaOf(z.object(answers), 'output')),
    'reply.json': titled('A response over the network: an answer or a refusal.', jsonSchemaOf(reply)),
  };
}

function titled(description: string, schema: object): object {
  return { description, ...schema };
}
