import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jsonSchemas } from '../functions/changes/json-schemas.ts';

/** Writes `docs/schemas/<type>.json` from the schemas in `functions/changes/event.ts`: `npm run schemas`. */
const folder = join(import.meta.dirname, 'schemas');
mkdirSync(folder, { recursive: true });
for (const [type, schema] of Object.entries(jsonSchemas())) {
  writeFileSync(join(folder, `${type}.json`), `${JSON.stringify(schema, null, 2)}\n`);
}
