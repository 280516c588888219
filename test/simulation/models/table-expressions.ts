import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unknownToModel, validation } from './table-errors.ts';
import { isReserved } from './table-reserved.ts';
import { checkValue, compareStrings, equal, type Item } from './table-values.ts';

/** The placeholders of one command. */
export interface Placeholders {
  readonly ExpressionAttributeNames?: Record<string, string> | undefined;
  readonly ExpressionAttributeValues?: Record<string, AttributeValue> | undefined;
}

type Condition = (item: Item) => boolean;

/** The sort keys that a key condition chooses. */
export type SortKeys = { readonly prefix: string } | { readonly from: string; readonly to: string };

const COMPARATORS: readonly string[] = ['=', '<>', '<', '<=', '>', '>='];
const KEY_CONDITION = /^pk = (:\w+)(?: AND (?:begins_with\(sk, (:\w+)\)|sk BETWEEN (:\w+) AND (:\w+)))?$/;

/** The expressions of one command: the part of DynamoDB's grammar that the store uses. A mistake in an
 *  expression is found before the table is read. */
export class Expressions {
  readonly #names: Record<string, string>;
  readonly #values: Record<string, AttributeValue>;
  readonly #used = new Set<string>();

  constructor({ ExpressionAttributeNames: names, ExpressionAttributeValues: values }: Placeholders) {
    for (const [kind, given] of Object.entries({ Names: names, Values: values }))
      if (given && Object.keys(given).length === 0)
        throw validation(`ExpressionAttribute${kind} must not be empty`);
    this.#names = names ?? {};
    this.#values = values ?? {};
    Object.values(this.#values).forEach(checkValue);
  }

  /** True for every item when there is no condition. */
  condition(text: string | undefined): Condition {
    return text === undefined ? () => true : this.#parse(text, parser => parser.or());
  }

  /** The attributes to read; undefined for all. */
  projection(text: string | undefined): readonly string[] | undefined {
    if (text === undefined) return undefined;
    return distinct(this.#parse(text, parser => parser.list(() => parser.path())));
  }

  /** The names of the attributes that an update sets or removes, and the function that makes the new item. */
  update(text: string | undefined): { names: readonly string[]; apply(item: Item): Item } {
    const update = this.#parse(text ?? '', parser => parser.update());
    if (distinct(update.names).some(isKey))
      throw validation('One or more parameter values were invalid: Cannot update an attribute of the key');
    return update;
  }

  keyCondition(text: string | undefined): { readonly pk: string; readonly sk?: SortKeys } {
    const [, pk, prefix, from, to] = KEY_CONDITION.exec(text ?? '') ?? unknown(`the key condition ${text}`);
    const key = (placeholder: string | undefined) => {
      const { S } = this.value(placeholder ?? '');
      return S || unknown(`a key condition with an empty string or ${S === '' ? '' : 'another type'}`);
    };
    if (prefix !== undefined) return { pk: key(pk), sk: { prefix: key(prefix) } };
    if (from === undefined) return { pk: key(pk) };
    const range = { from: key(from), to: key(to) };
    if (compareStrings(range.from, range.to) > 0)
      throw validation(
        'The BETWEEN operator requires upper bound to be greater than or equal to lower bound',
      );
    return { pk: key(pk), sk: range };
  }

  /** Called when all expressions are parsed: DynamoDB refuses a placeholder that none of them uses. */
  end(): void {
    for (const name of Object.keys({ ...this.#names, ...this.#values }))
      if (!this.#used.has(name)) throw validation(`Value provided unused in expressions: keys: {${name}}`);
  }

  value(placeholder: string): AttributeValue {
    return this.#values[this.#use(placeholder, this.#values)] as AttributeValue;
  }

  name(token: string): string {
    if (token.startsWith('#')) return this.#names[this.#use(token, this.#names)] as string;
    if (!/^[A-Za-z]\w*$/.test(token)) unknown(`the attribute ${token}`);
    if (isReserved(token))
      throw validation(`Attribute name is a reserved keyword; reserved keyword: ${token}`);
    return token;
  }

  #use(placeholder: string, given: object): string {
    this.#used.add(placeholder);
    if (!(placeholder in given)) throw validation(`A placeholder is not defined: ${placeholder}`);
    return placeholder;
  }

  #parse<Parsed>(text: string, parse: (parser: Parser) => Parsed): Parsed {
    if (text === '') throw validation('The expression can not be empty;');
    const parser = new Parser(text, this);
    const parsed = parse(parser);
    parser.end();
    return parsed;
  }
}

class Parser {
  readonly #text: string;
  readonly #tokens: readonly string[];
  readonly #expressions: Expressions;
  readonly #groups = new Set<Condition>();
  #at = 0;

  constructor(text: string, expressions: Expressions) {
    this.#text = text;
    this.#tokens = text.match(/[#:]?\w+|<>|<=|>=|\S/g) ?? [];
    this.#expressions = expressions;
  }

  end(): void {
    if (this.#at < this.#tokens.length) this.#unknown();
  }

  or(): Condition {
    const [left, ...more] = this.list(() => this.#and(), 'OR');
    return more.length === 0 ? (left as Condition) : item => [left, ...more].some(one => one?.(item));
  }

  #and(): Condition {
    const [left, ...more] = this.list(() => this.#single(), 'AND');
    return more.length === 0 ? (left as Condition) : item => [left, ...more].every(one => one?.(item));
  }

  #single(): Condition {
    if (this.#takes('(')) return this.#group();
    const [token, next] = [this.#next(), this.#tokens[this.#at]];
    if (next === '(') return this.#call(token);
    const name = this.#expressions.name(token);
    const comparator = this.#next();
    if (!COMPARATORS.includes(comparator)) this.#unknown();
    const value = this.#value();
    return item => compares(comparator, item[name], value);
  }

  #group(): Condition {
    const inner = this.or();
    this.#expect(')');
    if (this.#groups.has(inner)) throw validation('The expression has redundant parentheses;');
    this.#groups.add(inner);
    return inner;
  }

  #call(name: string): Condition {
    this.#expect('(');
    const path = this.path();
    const prefix = name === 'begins_with' && this.#takes(',') ? this.#value().S : undefined;
    this.#expect(')');
    if (name === 'attribute_exists') return item => item[path] !== undefined;
    if (name === 'attribute_not_exists') return item => item[path] === undefined;
    if (prefix === undefined) this.#unknown();
    return item => item[path]?.S?.startsWith(prefix) ?? false;
  }

  update(): { names: string[]; apply(item: Item): Item } {
    const sets = this.#takes('SET') ? this.list(() => this.#assignment()) : [];
    const removed = this.#takes('REMOVE') ? this.list(() => this.path()) : [];
    return {
      names: [...sets.map(({ name }) => name), ...removed],
      apply(item) {
        const next = { ...item };
        for (const name of removed) delete next[name];
        for (const { name, of } of sets) next[name] = of(item);
        return next;
      },
    };
  }

  #assignment(): { name: string; of(item: Item): AttributeValue } {
    const name = this.path();
    this.#expect('=');
    const isSum = !this.#tokens[this.#at]?.startsWith(':');
    if (isSum && this.path() !== name) this.#unknown();
    if (isSum) this.#expect('+');
    const value = this.#value();
    return { name, of: item => (isSum ? sum(item[name], value) : value) };
  }

  list<Element>(one: () => Element, separator = ','): Element[] {
    const all = [one()];
    while (this.#takes(separator)) all.push(one());
    return all;
  }

  path(): string {
    if (this.#tokens[this.#at]?.startsWith(':')) this.#unknown();
    return this.#expressions.name(this.#next());
  }

  #value(): AttributeValue {
    const token = this.#next();
    return token.startsWith(':') ? this.#expressions.value(token) : this.#unknown();
  }

  #next(): string {
    return this.#tokens[this.#at++] ?? this.#unknown();
  }

  #takes(token: string): boolean {
    if (this.#tokens[this.#at] !== token) return false;
    this.#at++;
    return true;
  }

  #expect(token: string): void {
    if (!this.#takes(token)) this.#unknown();
  }

  #unknown(): never {
    return unknown(`this expression: ${this.#text}`);
  }
}

function unknown(what: string): never {
  throw unknownToModel(what);
}

function isKey(name: string): boolean {
  return name === 'pk' || name === 'sk';
}

function distinct(names: readonly string[]): readonly string[] {
  if (new Set(names).size < names.length) throw validation('Two document paths overlap with each other');
  return names;
}

/** A missing attribute, or one of another type, is not equal to any value, and neither smaller nor
 *  larger. */
function compares(comparator: string, left: AttributeValue | undefined, right: AttributeValue): boolean {
  if (comparator === '=') return left !== undefined && equal(left, right);
  if (comparator === '<>') return left === undefined || !equal(left, right);
  const order = orderOf(left, right);
  if (order === undefined) return false;
  if (order === 0) return comparator === '<=' || comparator === '>=';
  return order < 0 === comparator.startsWith('<');
}

function orderOf(left: AttributeValue | undefined, right: AttributeValue): number | undefined {
  if (right.N !== undefined) return left?.N === undefined ? undefined : Number(left.N) - Number(right.N);
  return unknown('an order of values other than numbers');
}

function sum(left: AttributeValue | undefined, right: AttributeValue): AttributeValue {
  if (left?.N === undefined)
    throw validation('The provided expression refers to an attribute that does not exist in the item');
  const [one, other] = [Number(left.N), Number(right.N)];
  if (!Number.isSafeInteger(one) || !Number.isSafeInteger(other)) unknown('a sum of other than integers');
  return { N: String(one + other) };
}
