import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jsonSchemas } from '../functions/model/event.ts';
import { entriesOf } from './api/entries.ts';
import { apiPage } from './api/page.ts';
import { asyncApiYaml } from './asyncapi/yaml.ts';
import { configurationSchema } from './configuration-schema.ts';
import { decisionIndex, decisions } from './decision-index.ts';
import { operationSchemas } from './operation-schemas.ts';

/** Writes `docs/schemas/<type>.json` and `docs/asyncapi.yaml` from the schemas in `functions/model/event.ts` and the
 *  examples in `docs/examples`, `docs/schemas/operations` from those in `functions/operations/protocol`,
 *  `docs/schemas/configuration.schema.json` from that of the configuration, `docs/decisions/README.md` from the
 *  decisions, and `docs/api.md` from what the package exports: `npm run schemas`. */
const folder = join(import.meta.dirname, 'schemas');
mkdirSync(folder, { recursive: true });
for (const [type, schema] of Object.entries(jsonSchemas())) {
  writeFileSync(join(folder, `${type}.json`), `${JSON.stringify(schema, null, 2)}\n`);
}
writeFileSync(join(import.meta.dirname, 'asyncapi.yaml'), asyncApiYaml());
const operations = join(folder, 'operations');
mkdirSync(operations, { recursive: true });
for (const [file, schema] of Object.entries(operationSchemas())) {
  writeFileSync(join(operations, file), `${JSON.stringify(schema, null, 2)}\n`);
}
writeFileSync(
  join(folder, 'configuration.schema.json'),
  `${JSON.stringify(configurationSchema(), null, 2)}\n`,
);
writeFileSync(join(import.meta.dirname, 'decisions/README.md'), decisionIndex(decisions()));
writeFileSync(join(import.meta.dirname, 'api.md'), apiPage(entriesOf(join(import.meta.dirname, '..'))));
