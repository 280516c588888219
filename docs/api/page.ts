import { item } from '../markdown.ts';
import type { Described } from './describe.ts';
import type { Doc } from './doc-comment.ts';
import { type Elsewhere, NOWHERE } from './elsewhere.ts';
import type { Entry } from './entries.ts';
import type { Member } from './members.ts';

/** `docs/api.md`: the exports of the package. */
export function apiPage(entries: readonly Entry[], elsewhere = NOWHERE): string {
  const imports = entries.map(({ name, exports }) => {
    const values = exports.filter(({ kind }) => VALUES.has(kind)).map(one => one.name);
    return `import { ${values.join(', ')} } from '${name}';`;
  });
  return `# API

${typescript(imports.join('\n'))}

ES modules, for Node 24. \`npm run schemas\` generates this page from doc comments. Defaults are in parentheses.

${entries.map(entry => chapter(entry, elsewhere)).join('\n')}`;
}

const ORDER: readonly Described['kind'][] = ['function', 'class', 'type', 'object', 'constant'];
/** The kinds that exist at runtime. */
const VALUES: ReadonlySet<Described['kind']> = new Set(['function', 'class', 'constant']);

function chapter({ name, about, exports }: Entry, elsewhere: Elsewhere): string {
  const sorted = ORDER.flatMap(kind => exports.filter(one => one.kind === kind));
  const pages = Map.groupBy(sorted, elsewhere.pageOf);
  const here = pages.get(undefined) ?? [];
  pages.delete(undefined);
  const types = here
    .filter(isOneItem)
    .map(one => item(isInternal(one) ? one.name : `${one.name} = ${one.code}`, '', one.doc?.about ?? ''));
  return blocks([
    `## \`${name}\``,
    about,
    ...here.filter(one => !isOneItem(one)).map(one => section(one, elsewhere)),
    ...(types.length > 0 ? ['### Types', types.join('\n')] : []),
    ...[...pages].map(
      ([page = '', declared]) =>
        `Types that [${page}](${page}) describes: ${declared.map(({ name }) => `\`${name}\``).join(', ')}.`,
    ),
  ]);
}

/** A type that one paragraph describes. */
function isOneItem({ kind, doc }: Described): boolean {
  return kind === 'type' && !doc?.about.includes('\n\n') && doc?.example === undefined;
}

/** A type that is computed from internal code. */
function isInternal({ code = '' }: Described): boolean {
  return /\btypeof\b|\bin \w+\]/.test(code);
}

function section(one: Described, elsewhere: Elsewhere): string {
  const { name, kind, doc, code, members } = one;
  const pages = Map.groupBy(members, member => elsewhere.pageOfMember(one, member));
  const here = pages.get(undefined) ?? [];
  pages.delete(undefined);
  return blocks([
    `### \`${name}\``,
    doc?.about ?? '',
    code === undefined ? '' : typescript(kind === 'type' ? `type ${name} = ${code}` : code),
    (doc?.notes ?? []).map(note => `- ${note}`).join('\n'),
    doc?.example === undefined ? '' : example(doc.example),
    ...[...pages].map(
      ([page = '', some]) =>
        `As in [${page.replace(/#.*/, '')}](${page}): ${some.map(({ name, optional }) => `\`${name}${optional ? '?' : ''}\``).join(', ')}.`,
    ),
    here.length > 0 && (doc?.notes.length ?? 0) > 0 ? 'Members:' : '',
    here.map(memberItem).join('\n'),
  ]).trimEnd();
}

function memberItem({ name, optional, type = '', doc }: Member): string {
  return item(`${name}${optional ? '?' : ''}: ${type}`, doc?.default ?? '', meaning(doc));
}

function meaning(doc: Doc | undefined): string {
  return [doc?.about ?? '', ...(doc?.notes ?? [])].join('\n\n').trim();
}

function example(text: string): string {
  return text.startsWith('```') ? text : typescript(text);
}

function typescript(code: string): string {
  return `\`\`\`ts\n${code}\n\`\`\``;
}

function blocks(texts: readonly string[]): string {
  return `${texts.filter(text => text !== '').join('\n\n')}\n`;
}
