import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { operationSchemas } from '../../docs/operation-schemas.ts';

const folder = join(import.meta.dirname, '../../docs/schemas/operations');

describe('the committed JSON Schemas of the operations', () => {
  it('are those of the code: `npm run schemas` makes them anew', () => {
    const committed = readdirSync(folder).map(file => [file, readFileSync(join(folder, file), 'utf8')]);
    const textOf = (schema: unknown) => `${JSON.stringify(schema, null, 2)}\n`;
    const made = Object.entries(operationSchemas()).map(([file, schema]) => [file, textOf(schema)]);
    expect(Object.fromEntries(committed)).toEqual(Object.fromEntries(made));
  });

  it('take what is a request, and nothing else', () => {
    const ajv = new Ajv2020({ strict: false });
    formats.default(ajv);
    const isRequest = ajv.compile(operationSchemas()['request.json'] as object);
    for (const asked of [
      { operation: 'status' },
      { operation: 'events', since: '2026-11-21T09:00:00+01:00', limit: 3 },
      { operation: 'update-endpoint', endpoint: 'crm', perSecond: null },
      { operation: 'update-endpoint', endpoint: 'crm', filter: { events: ['task.updated'] } },
    ])
      expect(isRequest(asked), JSON.stringify(isRequest.errors)).toBe(true);
    for (const asked of [
      {},
      { operation: 'nothing' },
      { operation: 'status', more: 1 },
      { operation: 'events', limit: 0 },
    ])
      expect(isRequest(asked)).toBe(false);
  });
});
