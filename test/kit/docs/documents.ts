import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../../..');

/** The folders with code, tests aside. */
export const CODE_FOLDERS = 'functions infra local simulator cli console receiver package bench docs'.split(
  ' ',
);

export function readDocument(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** The README files, and all documents directly under docs/. */
export function documents(): string[] {
  const inDocs = readdirSync(join(ROOT, 'docs')).filter(file => file.endsWith('.md'));
  const readmes = ['README.md', 'examples/receiver/README.md', 'receiver/README.md'];
  return [...readmes, ...inDocs.map(file => `docs/${file}`)].filter(path => existsSync(join(ROOT, path)));
}

/** Folders that git ignores. */
const IGNORED = new Set(['node_modules', 'cdk.out', 'coverage', 'dist', 'mutation']);

/** Every Markdown file of the repository. */
export function pages(folder = ''): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap(entry => {
    const path = join(folder, entry.name);
    if (entry.isFile()) return path.endsWith('.md') ? [path] : [];
    const isOurs = entry.isDirectory() && !entry.name.startsWith('.') && !IGNORED.has(entry.name);
    return isOurs ? pages(path) : [];
  });
}

/** The text between the headings `## <title>`, of any level, and the next of that level or above. */
export function section(text: string, title: string): string | undefined {
  const lines = prose(text).split('\n');
  const start = lines.findIndex(line => /^#+ /.test(line) && line.replace(/^#+ /, '') === title);
  if (start < 0) return undefined;
  const level = (lines[start] as string).indexOf(' ');
  const length = lines.slice(start + 1).findIndex(line => new RegExp(`^#{1,${level}} `).test(line));
  return text
    .split('\n')
    .slice(start, length < 0 ? undefined : start + 1 + length)
    .join('\n');
}

/** The JSON values in a text's code blocks. */
export function jsonBlocks(text: string): unknown[] {
  return [...text.matchAll(/```json\n(.*?)\n```/gs)].map(([, json]) => JSON.parse(json as string));
}

/** The targets of links that don't exist: files, and headings of Markdown files. */
export function deadLinks(path: string): string[] {
  return relativeLinks(path).filter(target => !resolves(path, target));
}

/** The targets of all links and pictures of a page, except absolute URLs. */
export function relativeLinks(path: string): string[] {
  // A code span may show how a link is written.
  const text = prose(readDocument(path)).replaceAll(/`[^`\n]*`/g, '``');
  const patterns = [/\]\(<?([^)\s>]+)/g, /^\[[^\]]+\]: (\S+)/gm, /\b(?:src|href)="([^"]+)"/g];
  const targets = patterns.flatMap(pattern =>
    [...text.matchAll(pattern)].map(([, target]) => target as string),
  );
  return targets.filter(target => !/^[a-z]+:/.test(target));
}

/** The path in the repository to which a link of a page leads, without its heading. */
export function linkedPath(from: string, target: string): string {
  const [file = ''] = target.split('#');
  return file === '' ? from : join(from, '..', file);
}

/** Whether a link of a page leads to a file and, if it names one, to a heading. */
export function resolves(from: string, target: string): boolean {
  const [, anchor] = target.split('#');
  const path = linkedPath(from, target);
  if (!existsSync(join(ROOT, path))) return false;
  return anchor === undefined || anchors(readDocument(path)).includes(anchor);
}

/** The anchors of a text's headings, as GitHub makes them. */
function anchors(text: string): string[] {
  return [...prose(text).matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    (title as string)
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** The text with empty lines in place of its code blocks, because a comment in a shell script is no
 *  heading. */
function prose(text: string): string {
  return text.replace(/^```.*?^```$/gms, block => block.replace(/[^\n]/g, ''));
}
