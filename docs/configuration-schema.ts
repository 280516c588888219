import * as z from 'zod';
import { configSchema, RETENTIONS } from '../functions/config/schema.ts';
import { keysOf } from './configuration/keys.ts';

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

/** `docs/schemas/configuration.schema.json`, for completion and descriptions in editors: one stack or a list. It does
 *  not have the rules between keys (`functions/config/cross-checks.ts`). */
export function configurationSchema(): object {
  const { $schema, ...stack } = z.toJSONSchema(configSchema, {
    // The draft with the best support in editors.
    target: 'draft-07',
    io: 'input',
    unrepresentable: 'any',
  });
  const { properties, ...rest } = explained(stack as Schema, descriptions());
  return {
    $schema,
    title: 'Changewire configuration',
    description: 'Reference: docs/configuration.md',
    // Read by Visual Studio Code.
    allowComments: true,
    allowTrailingCommas: true,
    if: { type: 'array' },
    // biome-ignore lint/suspicious/noThenProperty: it is a key of JSON Schema.
    then: { minItems: 1, items: { $ref: '#/definitions/stack' } },
    else: { $ref: '#/definitions/stack' },
    definitions: {
      stack: {
        ...rest,
        properties: {
          $schema: { type: 'string', description: 'This schema, for editors.' },
          ...properties,
          logRetentionDays: { ...properties?.logRetentionDays, enum: RETENTIONS },
        },
      },
    },
  };
}

/** The description of each key, by its path such as `workspaces[].name`. */
function descriptions(): ReadonlyMap<string, string> {
  return new Map(
    [...keysOf(configSchema)].flatMap(([path, keys]) =>
      keys.map(({ key, meaning, allowed }) => [
        below(path, key),
        `${withoutMarks(meaning)} Allowed: ${allowed}.`,
      ]),
    ),
  );
}

function below(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

function withoutMarks(markdown: string): string {
  return markdown.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '');
}

/** The schema with a description of each key. */
function explained(schema: Schema, known: ReadonlyMap<string, string>, path = ''): Schema {
  const { properties, items, anyOf } = schema;
  return {
    ...schema,
    ...(anyOf && { anyOf: anyOf.map(each => explained(each, known, path)) }),
    ...(items && { items: explained(items, known, `${path}[]`) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([key, value]) => {
          const here = below(path, key);
          const description = known.get(here);
          return [key, { ...(description && { description }), ...explained(value, known, here) }];
        }),
      ),
    }),
  };
}
