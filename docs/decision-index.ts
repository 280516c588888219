import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The content of a decision's file. */
export interface Decision {
  readonly number: number;
  readonly file: string;
  readonly title: string;
  /** The titles of its sections, in order. */
  readonly sections: readonly string[];
  readonly words: number;
}

const folder = join(import.meta.dirname, 'decisions');

/** All decisions by number. A file without a title has `''` there. */
export function decisions(): Decision[] {
  return readdirSync(folder)
    .filter(file => /^\d{4}-[a-z0-9-]+\.md$/.test(file))
    .sort()
    .map(file => {
      const text = readFileSync(join(folder, file), 'utf8');
      return {
        number: Number(file.slice(0, 4)),
        file,
        title: text.match(new RegExp(`^# ${file.slice(0, 4)}: (.+)\n\n## `))?.[1] ?? '',
        sections: [...text.matchAll(/^## (.+)$/gm)].map(([, title = '']) => title),
        words: text.split(/\s+/).filter(Boolean).length,
      };
    });
}

/** `docs/decisions/README.md`. */
export function decisionIndex(all: readonly Decision[]): string {
  const lines = all.map(({ file, title }) => `- [${file.slice(0, 4)}](${file}): ${title}`);
  return `# Decisions

Choices that a reader might reverse by mistake. A new record takes the number after the highest. \`npm run schemas\` writes this list.

${lines.join('\n')}
`;
}
