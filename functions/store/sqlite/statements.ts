import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementResultingChanges } from 'node:sqlite';

type Row = Record<string, SQLOutputValue>;
type Tag<Result> = (texts: TemplateStringsArray, ...values: SQLInputValue[]) => Result;

/** Statements as tagged templates: `sql.get\`SELECT … ${value}\`` binds, it never pastes. */
export interface Statements {
  readonly run: Tag<StatementResultingChanges>;
  readonly get: Tag<Row | undefined>;
  readonly all: Tag<Row[]>;
}

/** Prepares each template once. Not `file.createTagStore()`: its statements outlive `file.close()`, so that the database
 *  stays open behind it, and its log is not taken into the file. */
export function statementsOf(file: DatabaseSync): Statements {
  const prepared = new Map<TemplateStringsArray, ReturnType<DatabaseSync['prepare']>>();
  const statement = (texts: TemplateStringsArray) => {
    const known = prepared.get(texts) ?? file.prepare(texts.join('?'));
    prepared.set(texts, known);
    return known;
  };
  return {
    run: (texts, ...values) => statement(texts).run(...values),
    get: (texts, ...values) => statement(texts).get(...values),
    all: (texts, ...values) => statement(texts).all(...values),
  };
}
