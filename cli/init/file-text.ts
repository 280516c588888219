import { printable } from '../../local/terminal/text.ts';
import { wrap } from '../show/wrap.ts';
import type { Draft, DraftedProcess, Setting } from './draft.ts';

/** Columns of a comment, without indentation. */
const MAX_COLUMNS = 90;

/** The commented configuration file. `schema` is the path of its JSON Schema, relative to the file. */
export function fileText(draft: Draft, schema: string | undefined): string {
  const { name, baseUrl, authUrl, audience, settings, processes } = draft;
  const workspace = [
    ...comment(
      'Part of the events and of the variables with its credentials. A different name is a different workspace.',
    ),
    entry('name', name),
    entry('baseUrl', baseUrl),
    entry('authUrl', authUrl),
    entry('audience', audience),
    ...settings.flatMap(setting),
    ...list('processes', processes.map(processLines)),
  ];
  return `${[
    ...comment(
      'Configuration of Changewire. docs/configuration.md in the package lists all keys. Do not store secrets here.',
    ),
    '{',
    ...indented([
      ...(schema === undefined ? [] : [entry('$schema', schema)]),
      ...comment('Workspaces to watch: one for each set of credentials of the service.'),
      ...list('workspaces', [block(workspace)]),
      ...comment(
        'How often to poll each process for changes, and how often to re-read it as a whole, which finds deletions.',
      ),
      entry('changes', '1m'),
      entry('sweep', '6h'),
      ...comment(
        'Receivers of the events. URLs and signing secrets are stored elsewhere: ENDPOINT_PLANNER_URL in .env, or a parameter on AWS.',
      ),
      ...list('endpoints', [
        ['// { "name": "planner", "kind": "webhook", "filter": { "events": ["task.updated"] } },'],
      ]),
      ...comment('For AWS: the region of the stack, and the recipient of its alarms.'),
      '// "region": "eu-central-1",',
      '// "alarmEmail": "operations@example.com",',
    ]),
    '}',
  ].join('\n')}\n`;
}

function processLines({ id, settings }: DraftedProcess): string[] {
  if (settings.length === 0) return [`{ "id": ${JSON.stringify(id)} },`];
  return block([entry('id', id), ...settings.flatMap(setting)]);
}

/** A setting below a comment with its reasons; several reasons are prefixed with their topics. */
function setting({ key, value, why }: Setting): string[] {
  const [only, ...others] = Object.entries(why);
  const reasons =
    only && others.length === 0
      ? [only[1]]
      : Object.entries(why).map(([about, found]) => `${about}: ${found}`);
  return [...reasons.flatMap(comment), entry(key, value)];
}

/** Every entry has a trailing comma, so that lines can be added and moved. */
function entry(key: string, value: unknown): string {
  return `${JSON.stringify(key)}: ${inLine(value)},`;
}

/** JSON on one line, with spaces. */
function inLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inLine).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const parts = Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${inLine(each)}`);
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`;
}

function block(lines: readonly string[]): string[] {
  return ['{', ...indented(lines), '},'];
}

function list(key: string, items: readonly (readonly string[])[]): string[] {
  return [`${JSON.stringify(key)}: [`, ...indented(items.flat()), '],'];
}

function indented(lines: readonly string[]): string[] {
  return lines.map(line => `  ${line}`);
}

/** Text from the service cannot end the comment: its line breaks are escaped. */
function comment(text: string): string[] {
  return wrap(printable(text), MAX_COLUMNS, Number.POSITIVE_INFINITY).map(line => `// ${line.trimEnd()}`);
}
