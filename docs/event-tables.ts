import { DUE_TYPES } from '../functions/model/due.ts';
import { jsonSchemas, type SentEvent } from '../functions/model/event.ts';
import { item } from './markdown.ts';

/** The lists of `docs/events.md`, generated from `functions/model/event.ts` by `npm run schemas`. */

type Type = SentEvent['type'];

/** The part of a JSON Schema that the lists use. */
interface Schema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly description?: string;
}

const schemas = jsonSchemas() as Record<Type, Schema>;
const types = Object.keys(schemas) as Type[];

const SNAPSHOT: readonly Type[] = [
  'snapshot.started',
  'project.snapshot',
  'task.snapshot',
  'snapshot.completed',
];

const RECORDS: readonly Type[] = startingWith('project.', 'task.').filter(
  type => ![...SNAPSHOT, ...DUE_TYPES].includes(type),
);

/** The sections of the page that describe shared schemas. */
const REFERENCES: Readonly<Record<string, string>> = {
  FieldChange: '[change](#one-change)',
  PropertyChange: '[change](#one-property-change)',
};

const LISTS: Readonly<Record<string, () => string>> = {
  types: () =>
    types
      .map(
        type =>
          `- [\`${type}\`](#${type.replace('.', '')}) ([schema](schemas/${type}.json), [example](examples/${type}.json)): ${schemas[type].description ?? ''}`,
      )
      .join('\n'),
  envelope: () => fields(types, withoutData),
  records: () => fields(RECORDS, dataOf),
  due: () => ownFields([...DUE_TYPES]),
  change: () => fields(['task.updated'], ({ $defs }) => $defs?.FieldChange),
  definitions: () => ownFields(startingWith('field.')),
  'property-change': () => fields(['field.updated'], ({ $defs }) => $defs?.PropertyChange),
  source: () => ownFields(startingWith('source.')),
  audit: () => ownFields(startingWith('audit.')),
  snapshot: () => ownFields(SNAPSHOT),
  health: () => ownFields(startingWith('endpoint.', 'delivery.')),
  test: () => ownFields(startingWith('changewire.')),
};

/** Replaces the list after each `<!-- list: <name> -->`.
 *  @throws when a marker names an unknown list */
export function embedLists(text: string): string {
  return text.replace(/<!-- list: (\S+) -->\n(?:\n(?:- .*\n)+)?/g, (_, name: string) => {
    const build = LISTS[name];
    if (!build) throw new Error(`Unknown list "${name}". The lists are ${Object.keys(LISTS).join(', ')}.`);
    return `<!-- list: ${name} -->\n\n${build()}\n`;
  });
}

function startingWith(...prefixes: string[]): Type[] {
  return types.filter(type => prefixes.some(prefix => type.startsWith(prefix)));
}

function withoutData({ properties: { data, ...properties } = {}, required = [] }: Schema): Schema {
  return { properties, required };
}

function dataOf({ properties }: Schema): Schema | undefined {
  return properties?.data;
}

interface Row {
  readonly path: string;
  readonly type: string;
  readonly description: string;
}

/** The items of data, without the fields that project and task events have, too. */
function ownFields(of: readonly Type[]): string {
  const shared = new Set(RECORDS.flatMap(type => rowsOf(dataOf(schemas[type]) ?? {})).map(keyOf));
  return fields(of, dataOf, row => !shared.has(keyOf(row)));
}

/** An item for each field that a schema of these types describes. Items that only some types have name them. */
function fields(
  of: readonly Type[],
  select: (schema: Schema) => Schema | undefined,
  isShown: (row: Row) => boolean = () => true,
): string {
  const found = new Map<string, { row: Row; having: Type[] }>();
  for (const type of of) {
    for (const row of rowsOf(select(schemas[type]) ?? {}).filter(isShown)) {
      const key = keyOf(row);
      found.set(key, { row, having: [...(found.get(key)?.having ?? []), type] });
    }
  }
  return [...found.values()]
    .map(({ row, having }) =>
      item(
        row.path,
        row.type,
        `${having.length < of.length ? `${named(having, of)}: ` : ''}${row.description}`,
      ),
    )
    .join('\n');
}

function keyOf({ path, description }: Row): string {
  return `${path} ${description}`;
}

function rowsOf({ properties = {}, required = [] }: Schema, parent = ''): Row[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const isList = schema.type === 'array';
    const path = `${parent}${name}`;
    const type = [typeOf(schema), required.includes(name) ? '' : 'optional']
      .filter(text => text !== '' && text !== 'string')
      .join(', ');
    const own = schema.description ? [{ path, type, description: schema.description }] : [];
    const inner = (isList ? schema.items : schema) ?? {};
    return [...own, ...rowsOf(inner, `${path}${isList ? '[]' : ''}.`)];
  });
}

function typeOf({ $ref, type, format, enum: values, anyOf, items }: Schema): string {
  if ($ref) return REFERENCES[$ref.split('/').at(-1) ?? ''] ?? 'object';
  if (anyOf) return anyOf.map(typeOf).join(', ');
  if (values) return values.map(value => `\`${value}\``).join(', ');
  if (type === 'array') return `${typeOf(items ?? {})}[]`;
  return format === 'date-time' ? 'timestamp' : (type ?? 'any');
}

/** `project.created`, … as `project.*`, where these are all types of the list that begin so. */
function named(having: readonly Type[], of: readonly Type[]): string {
  const [prefix = ''] = (having[0] ?? '').split('.');
  const all = of.filter(type => type.startsWith(`${prefix}.`));
  const isWhole = all.length > 1 && all.every(type => having.includes(type)) && all.length === having.length;
  return isWhole ? `\`${prefix}.*\`` : having.map(type => `\`${type}\``).join(', ');
}
