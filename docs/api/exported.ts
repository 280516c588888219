import { dirname, join } from 'node:path';
import type { ESTree } from 'vite';
import { readSource, type Source } from './source.ts';

/** A declaration, and where its statement begins: its doc comment is before that. */
export interface Declared {
  readonly node: ESTree.Declaration;
  readonly start: number;
}

/** Something that can be imported from a file. */
export interface Exported {
  readonly name: string;
  readonly source: Source;
  /** One; of a function with overloads all. */
  readonly declarations: readonly Declared[];
}

/** All that can be imported from a file, in the order of its exports, wherever it is declared.
 *  @throws an error for a default export, or an export of another package */
export function exportedBy(path: string): Exported[] {
  const source = readSource(path);
  const found = source.statements.flatMap(statement => {
    if (statement.type === 'ExportAllDeclaration') return exportedBy(beside(source, statement.source.value));
    if (statement.type === 'ExportDefaultDeclaration')
      throw new Error(`${path}: a default export has no name to document. Name it.`);
    return statement.type === 'ExportNamedDeclaration' ? namedIn(source, statement) : [];
  });
  return [...new Map(found.map(one => [one.name, one])).values()];
}

function namedIn(source: Source, statement: ESTree.ExportNamedDeclaration): Exported[] {
  const { declaration, specifiers } = statement;
  if (declaration !== null) return namesOf(declaration).map(name => declaredAs(source, name));
  return specifiers.map(specifier => {
    const [local, name] = [nameOf(specifier.local), nameOf(specifier.exported)];
    const from = statement.source?.value;
    return { ...(from === undefined ? locally(source, local) : imported(source, local, from)), name };
  });
}

/** What a file calls `name`: its own, or imported. */
function locally(source: Source, name: string): Exported {
  for (const statement of source.statements) {
    if (statement.type !== 'ImportDeclaration') continue;
    const specifier = statement.specifiers.find(({ local }) => local.name === name);
    if (specifier === undefined) continue;
    const original = specifier.type === 'ImportSpecifier' ? nameOf(specifier.imported) : 'default';
    return imported(source, original, statement.source.value);
  }
  return declaredAs(source, name);
}

function imported(source: Source, name: string, module: string): Exported {
  if (!module.startsWith('.'))
    throw new Error(`${source.path}: ${name} comes from ${module}, whose declarations are not read.`);
  const found = exportedBy(beside(source, module)).find(one => one.name === name);
  if (found === undefined) throw new Error(`${source.path}: ${module} exports no ${name}.`);
  return found;
}

function declaredAs(source: Source, name: string): Exported {
  const declarations = source.statements.flatMap(statement => {
    const node = declarationIn(statement);
    return node !== undefined && namesOf(node).includes(name) ? [{ node, start: statement.start }] : [];
  });
  if (declarations.length === 0) throw new Error(`${source.path}: ${name} has no declaration.`);
  // Overloads hide their implementation.
  const overloads = declarations.filter(({ node }) => node.type === 'TSDeclareFunction');
  return { name, source, declarations: overloads.length > 0 ? overloads : declarations };
}

function declarationIn(statement: ESTree.Directive | ESTree.Statement): ESTree.Declaration | undefined {
  if (statement.type === 'ExportNamedDeclaration') return statement.declaration ?? undefined;
  return 'id' in statement || statement.type === 'VariableDeclaration'
    ? (statement as ESTree.Declaration)
    : undefined;
}

function namesOf(node: ESTree.Declaration): string[] {
  if (node.type === 'VariableDeclaration')
    return node.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []));
  return 'id' in node && node.id?.type === 'Identifier' ? [node.id.name] : [];
}

function nameOf(node: ESTree.ModuleExportName): string {
  return node.type === 'Literal' ? node.value : node.name;
}

function beside({ path }: Source, module: string): string {
  return join(dirname(path), module);
}
