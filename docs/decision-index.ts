import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A decision as its file tells it. */
export interface Decision {
  readonly number: number;
  readonly file: string;
  readonly title: string;
  /** `accepted`, or which decision took its place. */
  readonly status: string;
  /** The titles of its sections, in their order. */
  readonly sections: readonly string[];
}

const folder = join(import.meta.dirname, 'decisions');

/** All decisions by number. A file that lacks its title or its status has `''` there. */
export function decisions(): Decision[] {
  return readdirSync(folder)
    .filter(file => /^\d{4}-[a-z0-9-]+\.md$/.test(file))
    .sort()
    .map(file => {
      const text = readFileSync(join(folder, file), 'utf8');
      return {
        number: Number(file.slice(0, 4)),
        file,
        title: text.match(new RegExp(`^# ${file.slice(0, 4)}: (.+)\n\nStatus: `))?.[1] ?? '',
        status: text.match(/^Status: (.+)\.$/m)?.[1] ?? '',
        sections: [...text.matchAll(/^## (.+)$/gm)].map(([, title = '']) => title),
      };
    });
}

/** `docs/decisions/README.md`. */
export function decisionIndex(all: readonly Decision[]): string {
  const lines = all.map(
    ({ number, file, title, status }) => `| [${four(number)}](${file}) | ${title} | ${status} |`,
  );
  return `# Decisions

Each choice that a reader would question: what led to it, what was decided, and what follows. A decision that no longer holds stays, and says which
one took its place. \`npm run schemas\` writes this list from the decisions.

Numbers are given in blocks, one for each part of the work; what is left of a block stays unused, so that no number ever means two things.
Unused: ${unused(all).join(', ')}.

| | decision | status |
|---|---|---|
${lines.join('\n')}
`;
}

/** The gaps between the numbers, each as its first and last. */
function unused(all: readonly Decision[]): string[] {
  return all.flatMap(({ number }, index) => {
    const [first, last] = [(all[index - 1]?.number ?? 0) + 1, number - 1];
    if (first > last) return [];
    return [first === last ? four(first) : `${four(first)} to ${four(last)}`];
  });
}

const four = (number: number) => String(number).padStart(4, '0');
