import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jsonSchemas, unionSchema } from '../functions/model/event.ts';
import { ELSEWHERE } from './api/elsewhere.ts';
import { entriesOf } from './api/entries.ts';
import { apiPage } from './api/page.ts';
import { asyncApiYaml } from './asyncapi/yaml.ts';
import { commandsPage } from './commands/page.ts';
import { configurationPage } from './configuration/page.ts';
import { configurationSchema } from './configuration-schema.ts';
import { decisionIndex, decisions } from './decision-index.ts';
import { embedLists } from './event-tables.ts';
import { llmsText } from './llms.ts';
import { operationSchemas } from './operation-schemas.ts';

/** Writes the generated files: `npm run schemas`.
 *
 *  - `docs/schemas/<type>.json` and `event.json`, `docs/asyncapi.yaml` and the lists in `docs/events.md`: from
 *  `functions/model/event.ts` and `docs/examples`
 *  - `docs/schemas/operations`: from `functions/operations/protocol`
 *  - `docs/schemas/configuration.schema.json` and the lists in `docs/configuration.md`: from
 *  `functions/config`
 *  - `docs/commands.md`: from the help of the commands
 *  - `docs/api.md`: from the exports of the package
 *  - `docs/decisions/README.md`: from the decisions
 *  - `llms.txt`: from the headings of all pages */
const folder = join(import.meta.dirname, 'schemas');
mkdirSync(folder, { recursive: true });
for (const [name, schema] of Object.entries({ ...jsonSchemas(), event: unionSchema() })) {
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(schema, null, 2)}\n`);
}
writeFileSync(join(import.meta.dirname, 'asyncapi.yaml'), asyncApiYaml());
const events = join(import.meta.dirname, 'events.md');
writeFileSync(events, embedLists(readFileSync(events, 'utf8')));
const operations = join(folder, 'operations');
mkdirSync(operations, { recursive: true });
for (const [file, schema] of Object.entries(operationSchemas())) {
  writeFileSync(join(operations, file), `${JSON.stringify(schema, null, 2)}\n`);
}
writeFileSync(
  join(folder, 'configuration.schema.json'),
  `${JSON.stringify(configurationSchema(), null, 2)}\n`,
);
const configuration = join(import.meta.dirname, 'configuration.md');
writeFileSync(configuration, configurationPage(readFileSync(configuration, 'utf8')));
writeFileSync(join(import.meta.dirname, 'commands.md'), commandsPage());
writeFileSync(join(import.meta.dirname, 'decisions/README.md'), decisionIndex(decisions()));
writeFileSync(
  join(import.meta.dirname, 'api.md'),
  apiPage(entriesOf(join(import.meta.dirname, '..')), ELSEWHERE),
);
// Last: it has the headings of the pages above.
writeFileSync(join(import.meta.dirname, '../llms.txt'), llmsText());
