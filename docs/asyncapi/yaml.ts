import { stringify } from 'yaml';
import project from '../../package.json' with { type: 'json' };
import { readExamples } from '../read-examples.ts';
import { asyncApiDocument } from './document.ts';

/** The text of `docs/asyncapi.yaml`. */
export function asyncApiYaml(): string {
  const document = asyncApiDocument(readExamples(), project.version);
  const text = stringify(document, { lineWidth: 110, aliasDuplicateObjects: false, blockQuote: 'literal' });
  return `# Made by \`npm run schemas\`: change functions/model/event.ts or docs/asyncapi/ instead.\n${text}`;
}
