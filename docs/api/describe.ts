import type { ESTree } from 'vite';
import { type Doc, parseDoc } from './doc-comment.ts';
import type { Declared, Exported } from './exported.ts';
import { type Member, membersOf, signatureOf } from './members.ts';
import { codeAt, docCommentAt, type Source } from './source.ts';

/** An export of the package for the page. */
export interface Described {
  readonly name: string;
  /** The file that declares it. */
  readonly path: string;
  readonly kind: 'function' | 'class' | 'object' | 'constant' | 'type';
  readonly doc: Doc | undefined;
  /** TypeScript: its signature, constructors or definition. Undefined where the name suffices, and where a type
   *  is not written. */
  readonly code: string | undefined;
  readonly members: readonly Member[];
  /** Names of other declarations of the project that it uses. */
  readonly uses: readonly string[];
}

/** @throws an error with the name of an export that cannot be described */
export function describe({ name, source, declarations }: Exported): Described {
  const [first] = declarations;
  if (first === undefined) throw new Error(`${source.path}: ${name} has no declaration.`);
  const comment = declarations.map(({ start }) => docCommentAt(source, start)).find(one => one !== undefined);
  const shape = shapeOf(source, name, declarations, first.node);
  const code = [shape.code, ...shape.members.map(({ type }) => type)].join(' ');
  return {
    ...{ name, path: source.path, ...shape },
    doc:
      comment === undefined
        ? undefined
        : parseDoc([comment, ...tagsOfConstructors(source, first.node)].join('\n')),
    uses: ownNames(source).filter(own => own !== name && new RegExp(`\\b${own}\\b`).test(code)),
  };
}

type Shape = Pick<Described, 'kind' | 'code' | 'members'>;

function shapeOf(source: Source, name: string, all: readonly Declared[], node: ESTree.Declaration): Shape {
  switch (node.type) {
    case 'ClassDeclaration':
      return { kind: 'class', code: classCode(source, node), members: membersOf(source, node.body.body) };
    case 'TSInterfaceDeclaration': {
      const isBare = node.extends.length === 0 && node.typeParameters === null;
      const code = isBare ? undefined : headOf(source, node, node.body);
      return { kind: 'object', code, members: membersOf(source, node.body.body) };
    }
    case 'TSTypeAliasDeclaration':
      return aliasShape(source, node);
    case 'FunctionDeclaration':
    case 'TSDeclareFunction':
      return { kind: 'function', code: functionCode(source, all), members: [] };
    case 'VariableDeclaration': {
      const declarator = node.declarations.find(({ id }) => id.type === 'Identifier' && id.name === name);
      const type = declarator?.id.typeAnnotation;
      const code = type ? `const ${name}: ${codeAt(source, type.typeAnnotation)}` : undefined;
      return { kind: 'constant', code, members: [] };
    }
    default:
      throw new Error(`${source.path}: ${name} is a ${node.type}, which the page cannot describe.`);
  }
}

function aliasShape(source: Source, node: ESTree.TSTypeAliasDeclaration): Shape {
  const { typeParameters, typeAnnotation } = node;
  if (typeAnnotation.type !== 'TSTypeLiteral')
    return { kind: 'type', code: codeAt(source, typeAnnotation), members: [] };
  const head = typeParameters && codeAt(source, { start: node.start, end: typeParameters.end });
  return { kind: 'object', code: head ?? undefined, members: membersOf(source, typeAnnotation.members) };
}

/** All overloads; undefined when one lacks a written type. */
function functionCode(source: Source, declarations: readonly Declared[]): string | undefined {
  const lines = declarations.map(({ node }) => {
    const called = node as ESTree.Function;
    const signature = signatureOf(source, called, called.id?.end ?? called.start);
    return signature && `function ${called.id?.name}${signature.parameters}: ${signature.returns};`;
  });
  return lines.includes(undefined) ? undefined : lines.join('\n');
}

function classCode(source: Source, node: ESTree.Class): string {
  const lines = constructorsOf(node).map(
    ({ key, value }) =>
      `  constructor${codeAt(source, { start: key.end, end: value.body?.start ?? value.end })};\n`,
  );
  return `${headOf(source, node, node.body)} {\n${lines.join('')}}`;
}

/** The tags in the doc comments of a class's constructors. */
function tagsOfConstructors(source: Source, node: ESTree.Declaration): string[] {
  if (node.type !== 'ClassDeclaration') return [];
  return constructorsOf(node).flatMap(({ start }) => {
    const comment = docCommentAt(source, start) ?? '';
    const tags = comment.search(/(^|\s)@/);
    return tags < 0 ? [] : [comment.slice(tags)];
  });
}

/** The visible ones: overloads hide their implementation. */
function constructorsOf({ body }: ESTree.Class) {
  const all = body.body.flatMap(member =>
    member.type === 'MethodDefinition' && member.kind === 'constructor' ? [member] : [],
  );
  const overloads = all.filter(({ value }) => value.body === null);
  return overloads.length > 0 ? overloads : all;
}

function headOf(source: Source, { start }: ESTree.Span, body: ESTree.Span): string {
  return codeAt(source, { start, end: body.start });
}

/** What the project itself declares, and a file can name: its own, and what it imports from other files. */
function ownNames({ statements }: Source): string[] {
  return statements.flatMap(statement => {
    if (statement.type === 'ImportDeclaration')
      return statement.source.value.startsWith('.')
        ? statement.specifiers.map(({ local }) => local.name)
        : [];
    const node = 'declaration' in statement && statement.declaration ? statement.declaration : statement;
    return 'id' in node && node.id?.type === 'Identifier' ? [node.id.name] : [];
  });
}
