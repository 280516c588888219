import { isReserved } from './expressions-reserved.ts';
import { validation } from './table-errors.ts';

/** Where an expression stands in a command, as DynamoDB's messages name it. */
export type Place =
  | 'ConditionExpression'
  | 'FilterExpression'
  | 'KeyConditionExpression'
  | 'ProjectionExpression'
  | 'UpdateExpression';

/** `name`: as written, an attribute (`a`), or a placeholder (`#a`). */
export interface Path {
  readonly kind: 'path';
  readonly name: string;
}

/** A placeholder (`:a`). */
export interface Value {
  readonly kind: 'value';
  readonly name: string;
}

export type Operand = Path | Value;
export type Comparator = '=' | '<>' | '<' | '<=' | '>' | '>=';

export type Condition =
  | { readonly kind: 'and' | 'or'; readonly left: Condition; readonly right: Condition }
  | { readonly kind: 'not'; readonly of: Condition }
  | {
      readonly kind: 'compare';
      readonly comparator: Comparator;
      readonly left: Operand;
      readonly right: Operand;
    }
  | { readonly kind: 'between'; readonly operand: Operand; readonly from: Operand; readonly to: Operand }
  | { readonly kind: 'exists'; readonly path: Path; readonly expected: boolean }
  | { readonly kind: 'begins'; readonly path: Path; readonly prefix: Operand };

/** `right` is what is added to `left`, or taken from it. */
export interface Assignment {
  readonly path: Path;
  readonly left: Operand;
  readonly sign?: '+' | '-';
  readonly right?: Operand;
}

export interface Update {
  readonly set: readonly Assignment[];
  readonly remove: readonly Path[];
}

export type Parsed<T> = { readonly tree: T; readonly placeholders: ReadonlySet<string> };

const COMPARATORS: readonly string[] = ['=', '<>', '<', '<=', '>', '>='];

/** A condition, filter or key condition. */
export const parseCondition = remembered((parser: Parser) => parser.or());
export const parseUpdate = remembered((parser: Parser) => parser.update());
export const parseProjection = remembered((parser: Parser) => parser.list(() => parser.path()));

/** Expressions are few and come often: each is parsed once. */
function remembered<T>(parse: (parser: Parser) => T): (place: Place, text: string) => Parsed<T> {
  const known = new Map<string, Parsed<T>>();
  return (place, text) => {
    const key = `${place} ${text}`;
    const found = known.get(key);
    if (found) return found;
    const parser = new Parser(place, text);
    const parsed = { tree: parse(parser), placeholders: parser.placeholders };
    parser.end();
    known.set(key, parsed);
    return parsed;
  };
}

/** Parses the part of DynamoDB's grammar that our expressions use. Other expressions may be right for
 *  DynamoDB: so they cause a plain error, which no code takes for an answer of the table. */
class Parser {
  readonly placeholders = new Set<string>();
  readonly #place: Place;
  readonly #text: string;
  readonly #tokens: readonly string[];
  readonly #groups = new Set<Condition>();
  #at = 0;

  constructor(place: Place, text: string) {
    this.#place = place;
    this.#text = text;
    if (text.trim() === '') throw validation(`Invalid ${place}: The expression can not be empty;`);
    this.#tokens = text.match(/[#:]?\w+|<>|<=|>=|\S/g) ?? [];
  }

  end(): void {
    if (this.#at < this.#tokens.length) this.#unknown();
  }

  or(): Condition {
    const left = this.#and();
    return this.#takes('OR') ? { kind: 'or', left, right: this.or() } : left;
  }

  #and(): Condition {
    const left = this.#not();
    return this.#takes('AND') ? { kind: 'and', left, right: this.#and() } : left;
  }

  #not(): Condition {
    return this.#takes('NOT') ? { kind: 'not', of: this.#not() } : this.#single();
  }

  #single(): Condition {
    if (this.#takes('(')) return this.#parentheses();
    if (this.#takes('attribute_exists')) return { kind: 'exists', path: this.#argument(), expected: true };
    if (this.#takes('attribute_not_exists'))
      return { kind: 'exists', path: this.#argument(), expected: false };
    return this.#takes('begins_with') ? this.#beginsWith() : this.#comparison();
  }

  #parentheses(): Condition {
    const inner = this.or();
    this.#expect(')');
    if (this.#groups.has(inner))
      throw validation(`Invalid ${this.#place}: The expression has redundant parentheses;`);
    this.#groups.add(inner);
    return inner;
  }

  #argument(): Path {
    this.#expect('(');
    const path = this.path();
    this.#expect(')');
    return path;
  }

  #beginsWith(): Condition {
    this.#expect('(');
    const path = this.path();
    this.#expect(',');
    const prefix = this.#operand();
    this.#expect(')');
    return { kind: 'begins', path, prefix };
  }

  #comparison(): Condition {
    const left = this.#operand();
    if (this.#takes('BETWEEN')) return this.#between(left);
    const comparator = this.#next();
    if (!COMPARATORS.includes(comparator)) this.#unknown();
    const right = this.#operand();
    if (left.kind === 'value' && right.kind === 'value') this.#unknown();
    return { kind: 'compare', comparator: comparator as Comparator, left, right };
  }

  #between(operand: Operand): Condition {
    const from = this.#operand();
    this.#expect('AND');
    return { kind: 'between', operand, from, to: this.#operand() };
  }

  update(): Update {
    const sections = new Map<string, unknown>();
    while (this.#at < this.#tokens.length) {
      const section = this.#next().toUpperCase();
      if (section !== 'SET' && section !== 'REMOVE') this.#unknown();
      if (sections.has(section))
        throw validation(
          `Invalid ${this.#place}: The "${section}" section can only be used once in an update expression;`,
        );
      sections.set(
        section,
        this.list(() => (section === 'SET' ? this.#assignment() : this.path())),
      );
    }
    return {
      set: (sections.get('SET') ?? []) as Assignment[],
      remove: (sections.get('REMOVE') ?? []) as Path[],
    };
  }

  list<T>(one: () => T): T[] {
    const all = [one()];
    while (this.#takes(',')) all.push(one());
    return all;
  }

  path(): Path {
    const operand = this.#operand();
    return operand.kind === 'path' ? operand : this.#unknown();
  }

  #assignment(): Assignment {
    const path = this.path();
    this.#expect('=');
    const left = this.#operand();
    const sign = this.#peek();
    if (sign !== '+' && sign !== '-') return { path, left };
    this.#at++;
    return { path, left, sign, right: this.#operand() };
  }

  #operand(): Operand {
    const token = this.#next();
    if (/^[#:]\w/.test(token)) {
      this.placeholders.add(token);
      return { kind: token.startsWith(':') ? 'value' : 'path', name: token };
    }
    if (!/^[A-Za-z]\w*$/.test(token) || this.#peek() === '(') this.#unknown();
    if (isReserved(token))
      throw validation(
        `Invalid ${this.#place}: Attribute name is a reserved keyword; reserved keyword: ${token}`,
      );
    return { kind: 'path', name: token };
  }

  #peek(): string | undefined {
    return this.#tokens[this.#at];
  }

  #next(): string {
    return this.#tokens[this.#at++] ?? this.#unknown();
  }

  /** Takes a keyword in capitals or not, and functions and signs as they are. */
  #takes(token: string): boolean {
    const next = this.#peek();
    if (next !== token && !(/^[A-Z]+$/.test(token) && next?.toUpperCase() === token)) return false;
    this.#at++;
    return true;
  }

  #expect(token: string): void {
    if (!this.#takes(token)) this.#unknown();
  }

  #unknown(): never {
    const near = this.#tokens.slice(Math.max(0, this.#at - 2), this.#at + 2).join(' ');
    throw new Error(
      `The table's model does not know this ${this.#place}, near "${near}": ${this.#text}\n` +
        'Teach it what DynamoDB does with that (test/simulation/models/expressions-parse.ts), and tell the contract.',
    );
  }
}
