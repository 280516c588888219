import { isInDoubt } from '../changes/compare-definitions.ts';
import { type Rules, rulesOf } from '../changes/compare-project.ts';
import type { Definitions } from '../changes/field-index.ts';
import type { Refreshed } from './refresh-definitions.ts';

/** A process's field definitions during one pass: those of the state until there is a reason to ask, read afresh then.
 *  So an idle pass asks for none, and every event is told with today's names and types. */
export class PassDefinitions {
  readonly #known: Definitions;
  readonly #ignored: ReadonlySet<string>;
  readonly #refresh: () => Promise<Refreshed>;
  #rules: Rules;
  #told = 0;
  #fresh: Promise<Rules> | undefined;

  constructor(known: Definitions, ignored: ReadonlySet<string>, refresh: () => Promise<Refreshed>) {
    this.#known = known;
    this.#ignored = ignored;
    this.#refresh = refresh;
    this.#rules = rulesOf(known, ignored);
  }

  /** The rules as far as they are known now. */
  get rules(): Rules {
    return this.#rules;
  }

  /** How many events told what is new in the definitions. */
  get told(): number {
    return this.#told;
  }

  /** True when an earlier pass missed fields, and this one is to look whether they are gone. */
  get areInDoubt(): boolean {
    return isInDoubt(this.#known);
  }

  /** The rules by the definitions that the service has now; read once in a pass. */
  fresh(): Promise<Rules> {
    this.#fresh ??= this.#readOnce();
    return this.#fresh;
  }

  async #readOnce(): Promise<Rules> {
    const { definitions, told } = await this.#refresh();
    this.#told = told;
    this.#rules = rulesOf(definitions, this.#ignored);
    return this.#rules;
  }
}
