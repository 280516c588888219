import { camelCase } from '../../functions/basics/property-names.ts';
import type { AnswerOf } from '../../functions/operations/protocol/answers.ts';

type Definitions = AnswerOf<'definitions'>;
type Field = Definitions['project'][number];

/** A module of TypeScript with the types of a process's records, by its field definitions. The same definitions give
 *  the same text. */
export function typesText({ workspace, process, project, task }: Definitions): string {
  return [
    `// The fields of process ${oneLine(process)} in workspace ${oneLine(workspace)}: changewire types.`,
    interfaceText('Project', 'A project.', project, ({ externalId }) => externalId),
    interfaceText('Task', 'A task.', task, taskProperty),
    '/** For `ChangeEvent<Types>`, `verify<Types>` and `consume<Types>` of changewire-events. */',
    'export interface Types {',
    '  project: Project;',
    '  task: Task;',
    '}',
  ].join('\n');
}

/** The property of a task: a plain name in camelCase, an identifier as it stands (service-api.md §2.3). */
function taskProperty({ externalId }: Field): string {
  return /\s|^\p{Lu}/u.test(externalId) ? camelCase(externalId) : externalId;
}

function interfaceText(
  name: string,
  comment: string,
  fields: readonly Field[],
  propertyOf: (field: Field) => string,
): string {
  const properties = new Map(fields.map(field => [propertyOf(field), field]));
  return [
    `/** ${comment} */`,
    `export interface ${name} {`,
    ...[...properties].flatMap(([property, field]) => [
      `  /** ${commentOf(field)} */`,
      `  ${/^[A-Za-z_$][\w$]*$/.test(property) ? property : JSON.stringify(property)}?: ${typeOf(field)};`,
    ]),
    '}',
    '',
  ].join('\n');
}

function commentOf({ name, type, archived }: Field): string {
  return `${oneLine(name)} (${oneLine(type)}${archived ? ', archived' : ''})`.replaceAll('*/', '* /');
}

/** The values of a field as the service writes them (service-api.md §2.3): empty is "" or []. */
function typeOf({ type, options = [] }: Field): string {
  const labels = options.length > 0 ? options.map(option => JSON.stringify(option)).join(' | ') : 'string';
  if (type === 'single-choice') return options.length > 0 ? `${labels} | ""` : labels;
  if (type === 'multiple-choice') return `(${labels})[]`;
  return type === 'text' || type === 'number' || type === 'date' ? 'string' : 'unknown';
}

/** Names come from the service: none may end the line of a comment. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ');
}
