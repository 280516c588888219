import { DUE_TYPES } from '../functions/model/due.ts';
import { jsonSchemas, type SentEvent } from '../functions/model/event.ts';

/** The tables of `docs/events.md`, generated from `functions/model/event.ts` by `npm run schemas`. */

type Type = SentEvent['type'];

/** The part of a JSON Schema that the tables use. */
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

/** The sections of the page that describe shared schemas. */
const REFERENCES: Readonly<Record<string, string>> = {
  FieldChange: '[change](#one-change)',
  PropertyChange: '[change](#one-property-change)',
};

const TABLES: Readonly<Record<string, () => string>> = {
  types: () =>
    table(
      ['type', 'emitted when', 'files'],
      types.map(type => [
        `[\`${type}\`](#${type.replace('.', '')})`,
        schemas[type].description ?? '',
        `[schema](schemas/${type}.json), [example](examples/${type}.json)`,
      ]),
    ),
  envelope: () => fields(types, withoutData),
  records: () =>
    fields(
      startingWith('project.', 'task.').filter(type => ![...SNAPSHOT, ...DUE_TYPES].includes(type)),
      dataOf,
    ),
  due: () => fields(DUE_TYPES, dataOf),
  change: () => fields(['task.updated'], ({ $defs }) => $defs?.FieldChange),
  definitions: () => fields(startingWith('field.'), dataOf),
  'property-change': () => fields(['field.updated'], ({ $defs }) => $defs?.PropertyChange),
  source: () => fields(startingWith('source.'), dataOf),
  audit: () => fields(startingWith('audit.'), dataOf),
  snapshot: () => fields(SNAPSHOT, dataOf),
  health: () => fields(startingWith('endpoint.', 'delivery.'), dataOf),
  test: () => fields(startingWith('changewire.'), dataOf),
};

/** Replaces the table after each `<!-- table: <name> -->`.
 *  @throws when a marker names an unknown table */
export function embedTables(text: string): string {
  return text.replace(/<!-- table: (\S+) -->\n(?:\n(?:\|.*\n)+)?/g, (_, name: string) => {
    const build = TABLES[name];
    if (!build) throw new Error(`Unknown table "${name}". The tables are ${Object.keys(TABLES).join(', ')}.`);
    return `<!-- table: ${name} -->\n\n${build()}\n`;
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

/** A row for each field that a schema of these types describes. Rows that only some types have name them. */
function fields(of: readonly Type[], select: (schema: Schema) => Schema | undefined): string {
  const found = new Map<string, { row: Row; having: Type[] }>();
  for (const type of of) {
    for (const row of rowsOf(select(schemas[type]) ?? {})) {
      const key = `${row.path} ${row.description}`;
      found.set(key, { row, having: [...(found.get(key)?.having ?? []), type] });
    }
  }
  const rows = [...found.values()].map(({ row, having }) => [
    `\`${row.path}\``,
    row.type,
    `${having.length < of.length ? `${named(having, of)}: ` : ''}${row.description}`,
  ]);
  return table(['field', 'type', 'description'], rows);
}

function rowsOf({ properties = {}, required = [] }: Schema, parent = ''): Row[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const isList = schema.type === 'array';
    const path = `${parent}${name}`;
    const type = `${typeOf(schema)}${required.includes(name) ? '' : ', optional'}`;
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

/** `project.created`, … as `project.*`, where these are all types of the table that begin so. */
function named(having: readonly Type[], of: readonly Type[]): string {
  const [prefix = ''] = (having[0] ?? '').split('.');
  const all = of.filter(type => type.startsWith(`${prefix}.`));
  const isWhole = all.length > 1 && all.every(type => having.includes(type)) && all.length === having.length;
  return isWhole ? `\`${prefix}.*\`` : having.map(type => `\`${type}\``).join(', ');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}
