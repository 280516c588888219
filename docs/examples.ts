import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { embedExamples } from './embed.ts';
import { exampleTexts } from './example-texts.ts';
import { takeExamples } from './take-examples.ts';

/** Writes `docs/examples` from a real run, and the examples in `docs/events.md`: `npm run examples`. Then
 *  `npm run schemas`, for `docs/asyncapi.yaml` shows them, too. */
const texts = exampleTexts(await takeExamples());
const folder = join(import.meta.dirname, 'examples');
mkdirSync(folder, { recursive: true });
for (const [name, text] of texts) writeFileSync(join(folder, `${name}.json`), text);
const document = join(import.meta.dirname, 'events.md');
writeFileSync(document, embedExamples(readFileSync(document, 'utf8'), texts));
