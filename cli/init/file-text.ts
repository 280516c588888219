import { printable } from '../../local/terminal/text.ts';
import { wrap } from '../show/wrap.ts';
import type { Draft, DraftedProcess, Setting } from './draft.ts';

/** Columns of a comment, without its indent. */
const MAX_COLUMNS = 90;

/** The configuration file with comments, which `readConfigFile` reads. `schema` is the path of its JSON Schema, as an editor
 *  finds it from the file. */
export function fileText(draft: Draft, schema: string | undefined): string {
  const { name, baseUrl, authUrl, audience, settings, processes } = draft;
  const workspace = [
    ...comment(
      'Part of the events, and of the names of the variables with its credentials: another name is another workspace.',
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
      'A configuration of Changewire. docs/configuration.md of the package has every key. Nothing secret belongs here.',
    ),
    '{',
    ...indented([
      ...(schema === undefined ? [] : [entry('$schema', schema)]),
      ...comment('What is watched: one entry for each set of credentials at the service.'),
      ...list('workspaces', [block(workspace)]),
      ...comment(
        'How often each process is asked for changes, and how often it is compared as a whole, which finds what is deleted.',
      ),
      entry('changes', '1m'),
      entry('sweep', '6h'),
      ...comment(
        'Who gets the events. Addresses and signing secrets stand elsewhere: ENDPOINT_PLANNER_URL in .env, or a parameter on AWS.',
      ),
      ...list('endpoints', [
        ['// { "name": "planner", "kind": "webhook", "filter": { "events": ["task.updated"] } },'],
      ]),
      ...comment('For AWS: where the stack is, and who gets its alarms.'),
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

/** A setting below the comment that says why. What each of several reasons is about stands before it. */
function setting({ key, value, why }: Setting): string[] {
  const [only, ...others] = Object.entries(why);
  const reasons =
    only && others.length === 0
      ? [only[1]]
      : Object.entries(why).map(([about, found]) => `${about}: ${found}`);
  return [...reasons.flatMap(comment), entry(key, value)];
}

/** Every entry has a comma behind it, so that lines can be added and moved. */
function entry(key: string, value: unknown): string {
  return `${JSON.stringify(key)}: ${inLine(value)},`;
}

/** JSON in a line, with blanks where people write them. */
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

/** Text from the service can not end the comment: its line ends are shown as escapes. */
function comment(text: string): string[] {
  return wrap(printable(text), MAX_COLUMNS, Number.POSITIVE_INFINITY).map(line => `// ${line.trimEnd()}`);
}
