import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { configSchema, RETENTIONS } from '../functions/config/schema.ts';

/** What a key means, by its path such as `workspaces[].name`. */
type Meanings = ReadonlyMap<string, string>;

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

/** `docs/schemas/configuration.schema.json`, by which editors complete a configuration file and say what a key means: one
 *  stack, or a list of them. How the parts fit together (`functions/config/cross-checks.ts`) it does not check. */
export function configurationSchema(): object {
  const { $schema, ...stack } = z.toJSONSchema(configSchema, {
    // Editors know this draft best.
    target: 'draft-07',
    io: 'input',
    unrepresentable: 'any',
  });
  const { properties, ...rest } = explained(stack as Schema, meanings());
  return {
    $schema,
    title: 'A configuration of Changewire',
    description: 'Tells all of it: docs/configuration.md',
    // What Visual Studio Code goes by.
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

/** What docs/configuration.md says of each key. */
function meanings(): Meanings {
  const page = readFileSync(join(import.meta.dirname, 'configuration.md'), 'utf8');
  return new Map(
    page
      .split(/^## /m)
      .slice(1)
      .flatMap(chapter => {
        const heading = (chapter.split('\n', 1)[0] ?? '').replaceAll('`', '');
        const path = heading === 'The whole' ? '' : `${heading}.`;
        const rows = chapter.matchAll(/^\| `(\w+)` \| .+? \| (.+?) \| (.+?) \|$/gm);
        return [...rows].map(
          ([, key = '', allowed = '', what = '']) =>
            [`${path}${key}`, `${withoutMarks(what)} Allowed: ${allowed}.`] as const,
        );
      }),
  );
}

function withoutMarks(markdown: string): string {
  return markdown.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '');
}

/** The schema with a description of each key. */
function explained(schema: Schema, known: Meanings, path = ''): Schema {
  const { properties, items, anyOf } = schema;
  return {
    ...schema,
    ...(anyOf && { anyOf: anyOf.map(each => explained(each, known, path)) }),
    ...(items && { items: explained(items, known, `${path}[]`) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([key, value]) => {
          const here = path === '' ? key : `${path}.${key}`;
          const description = known.get(here);
          return [key, { ...(description && { description }), ...explained(value, known, here) }];
        }),
      ),
    }),
  };
}
