import type { ESTree } from 'vite';
import { type Doc, parseDoc } from './doc-comment.ts';
import { codeAt, docCommentAt, type Source } from './source.ts';

/** A visible property or method. */
export interface Member {
  readonly name: string;
  readonly optional: boolean;
  /** TypeScript; undefined where no type is written. */
  readonly type: string | undefined;
  readonly doc: Doc | undefined;
}

/** The public members that a class or an interface declares itself: what it inherits or overrides is
 *  documented elsewhere. */
export function membersOf(
  source: Source,
  elements: readonly (ESTree.ClassElement | ESTree.TSSignature)[],
): Member[] {
  const isOverloaded = (name: string) =>
    elements.some(
      one =>
        'value' in one && one.value?.type === 'TSEmptyBodyFunctionExpression' && nameOf(source, one) === name,
    );
  return elements.flatMap(element => {
    const name = nameOf(source, element);
    if (name === undefined) return [];
    const hasBody = 'value' in element && element.value?.type === 'FunctionExpression';
    if (hasBody && isOverloaded(name)) return [];
    const comment = docCommentAt(source, element.start);
    const doc = comment === undefined ? undefined : parseDoc(comment);
    const optional = 'optional' in element && element.optional === true;
    return [{ name, optional, type: typeOf(source, element, optional), doc }];
  });
}

type Element = ESTree.ClassElement | ESTree.TSSignature;

/** Undefined for an invisible member. */
function nameOf(source: Source, element: Element): string | undefined {
  if (element.type === 'TSIndexSignature')
    return codeAt(source, { start: element.start, end: element.typeAnnotation.start }).replace(
      'readonly ',
      '',
    );
  if (!('key' in element) || element.key.type === 'PrivateIdentifier') return undefined;
  if ('accessibility' in element && (element.accessibility ?? 'public') !== 'public') return undefined;
  if ('override' in element && element.override) return undefined;
  if ('kind' in element && ['constructor', 'set'].includes(element.kind)) return undefined;
  const name = codeAt(source, element.key);
  return 'static' in element && element.static ? `static ${name}` : name;
}

function typeOf(source: Source, element: Element, optional: boolean): string | undefined {
  if ('typeAnnotation' in element && element.typeAnnotation) {
    const type = codeAt(source, element.typeAnnotation.typeAnnotation);
    return optional ? type.replace(/ \| undefined$/, '') : type;
  }
  const called = calledBy(element);
  if (called === undefined || !('key' in element)) return undefined;
  const signature = signatureOf(source, called, element.key.end);
  if (signature === undefined) return undefined;
  const isGetter = 'kind' in element && element.kind === 'get';
  return isGetter ? signature.returns : `${signature.parameters} => ${signature.returns}`;
}

type Called = Pick<ESTree.Function, 'params' | 'returnType'>;

function calledBy(element: Element): Called | undefined {
  if (element.type === 'TSMethodSignature') return element;
  const isMethod = element.type === 'MethodDefinition' || element.type === 'TSAbstractMethodDefinition';
  return isMethod ? element.value : undefined;
}

/** What a function takes, type parameters too, and returns. `nameEnd` is where its name ends. Undefined when
 *  one of its types is not written. */
export function signatureOf(source: Source, { params, returnType }: Called, nameEnd: number) {
  if (!returnType || !params.every(isTyped)) return undefined;
  return {
    parameters: codeAt(source, { start: nameEnd, end: returnType.start }).replace(/^\?/, ''),
    returns: codeAt(source, returnType.typeAnnotation),
  };
}

function isTyped(parameter: ESTree.ParamPattern): boolean {
  const pattern = parameter.type === 'AssignmentPattern' ? parameter.left : parameter;
  return 'typeAnnotation' in pattern && Boolean(pattern.typeAnnotation);
}
