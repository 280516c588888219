import { type Rules, rulesOf } from '../changes/compare-project.ts';
import { mergeDefinitions } from '../changes/definitions.ts';
import type { Definitions } from '../changes/field-index.ts';

/** A process's field definitions during one pass: those of the state until a difference shows, read afresh then. So an
 *  idle pass asks for none, and every event is told with today's names and types. */
export class PassDefinitions {
  readonly #ignored: ReadonlySet<string>;
  readonly #read: (known: Definitions) => Promise<Definitions>;
  #definitions: Definitions;
  #rules: Rules;
  #fresh: Promise<Rules> | undefined;

  constructor(
    known: Definitions,
    ignored: ReadonlySet<string>,
    read: (known: Definitions) => Promise<Definitions>,
  ) {
    this.#definitions = known;
    this.#ignored = ignored;
    this.#read = read;
    this.#rules = rulesOf(known, ignored);
  }

  /** The rules as far as they are known now. */
  get rules(): Rules {
    return this.#rules;
  }

  get definitions(): Definitions {
    return this.#definitions;
  }

  /** The rules by the definitions that the service has now; read once in a pass. */
  fresh(): Promise<Rules> {
    this.#fresh ??= this.#readOnce();
    return this.#fresh;
  }

  async #readOnce(): Promise<Rules> {
    this.#definitions = mergeDefinitions(this.#definitions, await this.#read(this.#definitions));
    this.#rules = rulesOf(this.#definitions, this.#ignored);
    return this.#rules;
  }
}
