import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import {
  type Assignment,
  type Condition,
  type Operand,
  type Parsed,
  type Path,
  type Place,
  parseCondition,
  parseProjection,
  parseUpdate,
} from './expressions-parse.ts';
import { validation } from './table-errors.ts';
import { add, negative } from './table-numbers.ts';
import { checkValue, compare, equal, type Item, isKeyName, storedValue, typeOf } from './table-values.ts';

/** What the expressions of one command have in common. */
export interface Placeholders {
  readonly ExpressionAttributeNames?: Record<string, string> | undefined;
  readonly ExpressionAttributeValues?: Record<string, AttributeValue> | undefined;
}

/** `begins_with`, `between`, or a sign. */
export interface Comparison {
  readonly comparator: string;
  readonly name: string;
  readonly value: AttributeValue;
  /** The upper bound of `between`. */
  readonly to?: AttributeValue | undefined;
}

/** The expressions of one command, with its names and values. All are checked when this is made, before
 *  the table is read; mistakes that depend on the item are found on evaluation. */
export class Expressions {
  readonly #names: Record<string, string>;
  readonly #values: Record<string, AttributeValue>;
  readonly #used = new Set<string>();
  #any = false;

  constructor({ ExpressionAttributeNames: names, ExpressionAttributeValues: values }: Placeholders) {
    if (names && Object.keys(names).length === 0)
      throw validation('ExpressionAttributeNames must not be empty');
    if (values && Object.keys(values).length === 0)
      throw validation('ExpressionAttributeValues must not be empty');
    this.#names = names ?? {};
    this.#values = Object.fromEntries(
      Object.entries(values ?? {}).map(([name, value]) => [name, checkValue(value)]),
    );
  }

  /** True for every item when there is no condition. */
  condition(place: Place, text: string | undefined): (item: Item) => boolean {
    if (text === undefined) return () => true;
    const tree = this.#known(place, parseCondition(place, text));
    this.#checkTypes(place, tree);
    return item => this.#holds(tree, item);
  }

  /** The parts of a key condition, which chooses the items to read, and is not evaluated for each. */
  comparisons(place: Place, text: string): Comparison[] {
    const tree = this.#known(place, parseCondition(place, text));
    this.#checkTypes(place, tree);
    return conjunction(tree).map(part => {
      const [comparator, left, right, to] = partsOf(part);
      if (left?.kind !== 'path' || right?.kind !== 'value' || to?.kind === 'path')
        throw validation(`Invalid ${place}: ${text}`);
      const value = this.#valueOf(right.name);
      return { comparator, name: this.#nameOf(left), value, to: to && this.#valueOf(to.name) };
    });
  }

  /** Every attribute that a condition names. */
  names(place: Place, text: string | undefined): string[] {
    if (text === undefined) return [];
    return operandsOf(parseCondition(place, text).tree).flatMap(operand =>
      operand.kind === 'path' ? [this.#nameOf(operand)] : [],
    );
  }

  /** The names of the attributes it asks for; undefined asks for all. */
  projection(text: string | undefined): readonly string[] | undefined {
    if (text === undefined) return undefined;
    const place = 'ProjectionExpression';
    const names = this.#known(place, parseProjection(place, text)).map(path => this.#nameOf(path));
    checkOverlap(place, names);
    return names;
  }

  /** A function that makes the new item from the old one, and the names of the attributes that it sets or
   *  removes. */
  update(text: string | undefined): { names: readonly string[]; apply: (item: Item) => Item } {
    if (text === undefined) return { names: [], apply: item => item };
    const place = 'UpdateExpression';
    const { set, remove } = this.#known(place, parseUpdate(place, text));
    const names = [...set.map(({ path }) => path), ...remove].map(path => this.#nameOf(path));
    checkOverlap(place, names);
    for (const name of names.filter(isKeyName))
      throw validation(
        `One or more parameter values were invalid: Cannot update attribute ${name}. This attribute is part of the key`,
      );
    for (const { sign, left, right } of set) if (sign) this.#checkSum(sign, [left, right]);
    const apply = (item: Item) => {
      const next = { ...item };
      for (const path of remove) delete next[this.#nameOf(path)];
      for (const one of set) next[this.#nameOf(one.path)] = this.#assigned(one, item);
      return next;
    };
    return { names, apply };
  }

  /** Called when all expressions are parsed: a name or value that none of them uses is an error. */
  end(): void {
    for (const [kind, given] of [
      ['Names', this.#names],
      ['Values', this.#values],
    ] as const) {
      const unused = Object.keys(given).filter(name => !this.#used.has(name));
      if (unused.length === 0) continue;
      if (this.#used.size === 0 && !this.#any)
        throw validation(`ExpressionAttribute${kind} can only be specified when using expressions`);
      throw validation(
        `Value provided in ExpressionAttribute${kind} unused in expressions: keys: {${unused.join(', ')}}`,
      );
    }
  }

  #known<T>(place: Place, { tree, placeholders }: Parsed<T>): T {
    this.#any = true;
    for (const placeholder of placeholders) {
      this.#used.add(placeholder);
      if (placeholder.startsWith('#') ? placeholder in this.#names : placeholder in this.#values) continue;
      throw validation(
        placeholder.startsWith('#')
          ? `Invalid ${place}: An expression attribute name used in the document path is not defined; attribute name: ${placeholder}`
          : `Invalid ${place}: An expression attribute value used in expression is not defined; attribute value: ${placeholder}`,
      );
    }
    return tree;
  }

  #nameOf({ name }: Path): string {
    return name.startsWith('#') ? (this.#names[name] as string) : name;
  }

  #valueOf(name: string): AttributeValue {
    return this.#values[name] as AttributeValue;
  }

  #operand(operand: Operand, item: Item): AttributeValue | undefined {
    return operand.kind === 'value' ? this.#valueOf(operand.name) : item[this.#nameOf(operand)];
  }

  #holds(tree: Condition, item: Item): boolean {
    switch (tree.kind) {
      case 'and':
        return this.#holds(tree.left, item) && this.#holds(tree.right, item);
      case 'or':
        return this.#holds(tree.left, item) || this.#holds(tree.right, item);
      case 'not':
        return !this.#holds(tree.of, item);
      case 'exists':
        return (item[this.#nameOf(tree.path)] !== undefined) === tree.expected;
      case 'begins':
        return beginsWith(this.#operand(tree.path, item), this.#operand(tree.prefix, item));
      case 'between': {
        const [value, from, to] = [tree.operand, tree.from, tree.to].map(one => this.#operand(one, item));
        return compares('>=', value, from) && compares('<=', value, to);
      }
      case 'compare':
        return compares(tree.comparator, this.#operand(tree.left, item), this.#operand(tree.right, item));
    }
  }

  #assigned({ left, sign, right }: Assignment, item: Item): AttributeValue {
    const first = this.#present(left, item);
    if (sign === undefined || right === undefined) return storedValue(first);
    const second = this.#present(right, item);
    if (first.N === undefined || second.N === undefined)
      throw validation('An operand in the update expression has an incorrect data type');
    return { N: add(first.N, sign === '+' ? second.N : negative(second.N)) };
  }

  #present(operand: Operand, item: Item): AttributeValue {
    const value = this.#operand(operand, item);
    if (value === undefined)
      throw validation('The provided expression refers to an attribute that does not exist in the item');
    return value;
  }

  /** Refuses values of a wrong type at once; attributes of a wrong type only make a condition false. */
  #checkTypes(place: Place, tree: Condition): void {
    if (tree.kind === 'and' || tree.kind === 'or') {
      this.#checkTypes(place, tree.left);
      this.#checkTypes(place, tree.right);
    } else if (tree.kind === 'not') this.#checkTypes(place, tree.of);
    else if (tree.kind === 'begins') this.#checkOperand(place, 'begins_with', tree.prefix, ['S', 'B']);
    else if (tree.kind === 'between') this.#checkBounds(place, tree.from, tree.to);
    else if (tree.kind === 'compare' && tree.comparator !== '=' && tree.comparator !== '<>')
      for (const operand of [tree.left, tree.right])
        this.#checkOperand(place, tree.comparator, operand, ['S', 'N', 'B']);
  }

  #checkBounds(place: Place, ...bounds: readonly [Operand, Operand]): void {
    for (const bound of bounds) this.#checkOperand(place, 'BETWEEN', bound, ['S', 'N', 'B']);
    if (bounds.some(({ kind }) => kind === 'path')) return;
    const [from, to] = bounds.map(({ name }) => this.#valueOf(name)) as [AttributeValue, AttributeValue];
    const order = compare(from, to);
    if (order !== undefined && order <= 0) return;
    const rule =
      order === undefined ? 'same data type' : 'upper bound to be greater than or equal to lower bound';
    throw validation(
      `Invalid ${place}: The BETWEEN operator requires ${rule}; lower bound operand: AttributeValue: ${JSON.stringify(from)}, ` +
        `upper bound operand: AttributeValue: ${JSON.stringify(to)}`,
    );
  }

  #checkSum(sign: string, operands: (Operand | undefined)[]): void {
    for (const operand of operands) if (operand) this.#checkOperand('UpdateExpression', sign, operand, ['N']);
  }

  #checkOperand(place: Place, operator: string, operand: Operand, types: string[]): void {
    if (operand.kind === 'path' || types.includes(typeOf(this.#valueOf(operand.name)))) return;
    const type = typeOf(this.#valueOf(operand.name));
    throw validation(
      `Invalid ${place}: Incorrect operand type for operator or function; operator or function: ${operator}, operand type: ${type}`,
    );
  }
}

function conjunction(tree: Condition): Condition[] {
  return tree.kind === 'and' ? [...conjunction(tree.left), ...conjunction(tree.right)] : [tree];
}

function operandsOf(tree: Condition): Operand[] {
  if (tree.kind === 'and' || tree.kind === 'or') return [...operandsOf(tree.left), ...operandsOf(tree.right)];
  if (tree.kind === 'not') return operandsOf(tree.of);
  const [, ...operands] = partsOf(tree);
  return operands;
}

function partsOf(tree: Condition): [comparator: string, ...Operand[]] {
  if (tree.kind === 'compare') return [tree.comparator, tree.left, tree.right];
  if (tree.kind === 'begins') return ['begins_with', tree.path, tree.prefix];
  if (tree.kind === 'between') return ['between', tree.operand, tree.from, tree.to];
  return tree.kind === 'exists' ? ['exists', tree.path] : [tree.kind];
}

function checkOverlap(place: Place, names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return;
  throw validation(
    `Invalid ${place}: Two document paths overlap with each other; must remove or rewrite one of these paths; ` +
      `path one: [${twice}], path two: [${twice}]`,
  );
}

function beginsWith(value: AttributeValue | undefined, prefix: AttributeValue | undefined): boolean {
  if (value?.S !== undefined && prefix?.S !== undefined) return value.S.startsWith(prefix.S);
  if (value?.B === undefined || prefix?.B === undefined) return false;
  return Buffer.compare(value.B.subarray(0, prefix.B.length), prefix.B) === 0;
}

/** A missing attribute, or one of another type, is not equal to any value, and neither smaller nor
 *  larger. */
function compares(
  comparator: string,
  left: AttributeValue | undefined,
  right: AttributeValue | undefined,
): boolean {
  if (comparator === '=' || comparator === '<>') {
    const same = left !== undefined && right !== undefined && equal(left, right);
    return same === (comparator === '=');
  }
  const order = left && right && compare(left, right);
  if (order === undefined) return false;
  if (order === 0) return comparator === '<=' || comparator === '>=';
  return order < 0 === comparator.startsWith('<');
}
