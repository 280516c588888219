import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sentSchemas } from '../functions/model/event.ts';
import type { Examples } from './take-examples.ts';

/** The examples of `docs/examples`. */
export function readExamples(): Examples {
  const read = (name: string): unknown =>
    JSON.parse(readFileSync(join(import.meta.dirname, 'examples', `${name}.json`), 'utf8'));
  const types = Object.keys(sentSchemas);
  return {
    events: Object.fromEntries(types.map(type => [type, read(type)])) as Examples['events'],
    attributes: read('message-attributes') as Examples['attributes'],
  };
}
