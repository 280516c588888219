import { readFileSync } from 'node:fs';
import { type ESTree, type ParseResult, parseSync } from 'vite';

type Comment = ParseResult['comments'][number];

/** A TypeScript file, parsed. */
export interface Source {
  readonly path: string;
  readonly text: string;
  readonly statements: readonly (ESTree.Directive | ESTree.Statement)[];
  readonly comments: readonly Comment[];
}

/** Places in a text, as indexes: of the first character, and after the last. */
export type Span = Pick<ESTree.Span, 'start' | 'end'>;

/** Reads a file. @throws an error that names the file and what is wrong with its syntax */
export function readSource(path: string): Source {
  const text = readFileSync(path, 'utf8');
  const { program, comments, errors } = parseSync(path, text);
  if (errors[0] !== undefined) throw new Error(`${path}: ${errors[0].message}`);
  return { path, text, statements: program.body, comments };
}

/** The doc comment right in front of `start`; undefined without one. */
export function docCommentAt({ text, comments }: Source, start: number): string | undefined {
  const before = comments.filter(({ end }) => end <= start).at(-1);
  if (before === undefined || text.slice(before.end, start).trim() !== '') return undefined;
  return docCommentOf(before);
}

/** The doc comment at the head of a file that is about the file, not about its first declaration. */
export function headCommentOf({ comments, statements }: Source): string | undefined {
  const [head, next] = comments;
  const [first] = statements;
  if (head === undefined || first === undefined || head.start > first.start) return undefined;
  const declares = 'declaration' in first && first.declaration !== null;
  const isOfFile = !declares || (next !== undefined && next.start < first.start);
  return isOfFile ? docCommentOf(head) : undefined;
}

/** The text without the stars of its lines; undefined for another kind of comment. */
function docCommentOf({ type, value }: Comment): string | undefined {
  if (type !== 'Block' || !value.startsWith('*')) return undefined;
  return value
    .slice(1)
    .split('\n')
    .map((line, index) => (index === 0 ? line.trim() : line.replace(/^\s*\* {0,2}/, '').trimEnd()))
    .join('\n')
    .trim();
}

/** What stands there, without comments, on one line. */
export function codeAt({ text, comments }: Source, { start, end }: Span): string {
  let code = '';
  let at = start;
  for (const comment of comments.filter(one => one.start >= start && one.end <= end)) {
    code += text.slice(at, comment.start);
    at = comment.end;
  }
  return (code + text.slice(at, end))
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/,? ([)\]])|([([]) /g, '$1$2')
    .replaceAll('; }', ' }')
    .replace(/^\| /, '')
    .replace(/[;,]$/, '')
    .trim();
}
