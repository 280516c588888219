import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SUMMARY =
  'Change events for a process-management service whose REST API has none: polls projects, tasks and the audit log, ' +
  'compares them with snapshots, and delivers each difference as a CloudEvent.';

/** Where a reader begins; the other pages follow by name. */
const FIRST = ['README.md', 'docs/design.md', 'docs/configuration.md', 'docs/events.md', 'docs/commands.md'];
const FILES = [
  '- [JSON Schemas of events](docs/schemas/event.json)',
  '- [AsyncAPI](docs/asyncapi.yaml)',
  '- [JSON Schema of the configuration](docs/schemas/configuration.schema.json)',
  '- [JSON Schemas of the operations](docs/schemas/operations)',
];
const MAX_HEADINGS = 12;

/** `llms.txt` (https://llmstxt.org): every page with its headings. */
export function llmsText(root = join(import.meta.dirname, '..')): string {
  const inDocs = readdirSync(join(root, 'docs')).filter(name => name.endsWith('.md'));
  const others = inDocs.map(name => `docs/${name}`).filter(path => !FIRST.includes(path));
  const pages = [...FIRST, ...others, 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'].map(path => {
    const lines = readFileSync(join(root, path), 'utf8').split('\n');
    const headings = lines.filter(line => line.startsWith('## ')).map(line => line.slice(3));
    const shown = headings.length > MAX_HEADINGS ? [...headings.slice(0, MAX_HEADINGS), '…'] : headings;
    const title = lines.find(line => line.startsWith('# '))?.slice(2);
    return `- [${title}](${path})${shown.length > 0 ? `: ${shown.join(' · ')}` : ''}`;
  });
  return `# Changewire\n\n> ${SUMMARY}\n\n## Pages\n\n${pages.join('\n')}\n\n## Files\n\n${FILES.join('\n')}\n`;
}
