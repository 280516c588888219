import type { Described } from './describe.ts';
import type { Doc } from './doc-comment.ts';
import type { Entry } from './entries.ts';
import type { Member } from './members.ts';

/** `docs/api.md`: what can be imported from the package. */
export function apiPage(entries: readonly Entry[]): string {
  return `# What can be imported

\`npm run schemas\` writes this page from the declarations and their doc comments. What the events mean tells
[events.md](events.md), what the configuration means [configuration.md](configuration.md). Modules are ES modules, for Node 24.

${entries.map(chapter).join('\n')}`;
}

const ORDER: readonly Described['kind'][] = ['function', 'class', 'type', 'object', 'constant'];

function chapter({ name, about, exports }: Entry): string {
  const sorted = ORDER.flatMap(kind => exports.filter(one => one.kind === kind));
  const types = sorted.filter(isOneRow);
  const rows = types.map(({ name, code = '', doc }) => [
    `\`${name}\``,
    cell(`\`${code}\``),
    cell(doc?.about ?? ''),
  ]);
  return blocks([
    `## \`${name}\``,
    about,
    ...sorted.filter(one => !isOneRow(one)).map(section),
    ...(rows.length > 0 ? ['### Types', table(['type', 'is', 'meaning'], rows)] : []),
  ]);
}

/** A type of which a paragraph says all. */
function isOneRow({ kind, doc }: Described): boolean {
  return kind === 'type' && !doc?.about.includes('\n\n') && doc?.example === undefined;
}

function section({ name, kind, doc, code, members }: Described): string {
  return blocks([
    `### \`${name}\``,
    doc?.about ?? '',
    code === undefined ? '' : typescript(kind === 'type' ? `type ${name} = ${code}` : code),
    (doc?.notes ?? []).map(note => `- ${note}`).join('\n'),
    doc?.example === undefined ? '' : example(doc.example),
    members.length > 0 ? membersTable(members) : '',
  ]).trimEnd();
}

function membersTable(members: readonly Member[]): string {
  const hasDefaults = members.some(({ doc }) => doc?.default !== undefined);
  const rows = members.map(({ name, optional, type = '', doc }) => [
    `\`${name}${optional ? '?' : ''}\``,
    cell(`\`${type}\``),
    ...(hasDefaults ? [cell(doc?.default ?? '')] : []),
    cell(meaning(doc)),
  ]);
  return table(['member', 'type', ...(hasDefaults ? ['default'] : []), 'meaning'], rows);
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

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  return [heads, heads.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n');
}

/** A text as it may stand in a cell. */
function cell(text: string): string {
  return text
    .replaceAll('|', '\\|')
    .replaceAll(/\n{2,}/g, '<br>')
    .replaceAll('\n', ' ');
}

function blocks(texts: readonly string[]): string {
  return `${texts.filter(text => text !== '').join('\n\n')}\n`;
}
