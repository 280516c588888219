import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { embedExamples } from './embed.ts';
import { prettyJson } from './pretty-json.ts';
import { takeExamples } from './take-examples.ts';

/** Writes `docs/examples/<type>.json` from a real run, and the examples in `docs/events.md`: `npm run examples`. */
const { events, attributes } = await takeExamples();
const folder = join(import.meta.dirname, 'examples');
mkdirSync(folder, { recursive: true });
const examples = Object.entries({ ...events, 'message-attributes': attributes });
const texts = new Map(examples.map(([name, value]) => [name, `${prettyJson(value)}\n`]));
for (const [name, text] of texts) writeFileSync(join(folder, `${name}.json`), text);
const document = join(import.meta.dirname, 'events.md');
writeFileSync(document, embedExamples(readFileSync(document, 'utf8'), texts));
