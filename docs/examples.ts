import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { embedExamples } from './embed.ts';
import { exampleTexts } from './example-texts.ts';
import { takeExamples } from './take-examples.ts';

/** Writes `docs/examples` from a real run, and the examples in `docs/events.md` and `docs/receiving.md`: `npm
 *  run examples`. Run `npm run schemas` afterwards: `docs/asyncapi.yaml` has the examples too. */
const texts = exampleTexts(await takeExamples());
const folder = join(import.meta.dirname, 'examples');
mkdirSync(folder, { recursive: true });
for (const [name, text] of texts) writeFileSync(join(folder, `${name}.json`), text);
for (const page of ['events.md', 'receiving.md']) {
  const path = join(import.meta.dirname, page);
  writeFileSync(path, embedExamples(readFileSync(path, 'utf8'), texts));
}
