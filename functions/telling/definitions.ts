import type { Mode } from '../basics/process.ts';
import { compareDefinitions, definitionsAfter, isInDoubt } from '../changes/compare-definitions.ts';
import { type Rules, rulesOf } from '../changes/compare-project.ts';
import { fieldEvents } from '../changes/field-events.ts';
import { readDefinitions } from '../reading/read-definitions.ts';
import type { Reports } from '../reading/reports.ts';
import type { Service } from '../service/service.ts';
import type { ProcessState } from '../snapshots/state.ts';
import { type Announcer, announce, type Say } from './announce.ts';

/** Whose definitions they are. */
interface Owner extends Announcer {
  readonly parts: Announcer['parts'] & { readonly service: Service };
  readonly mode: Mode;
  readonly reports: Reports;
}

/** A process's field definitions during one pass: those of the state until there is a reason to ask, read afresh then.
 *  So an idle pass asks for none, and every event is told with today's names and types. */
export class Definitions {
  readonly #owner: Owner;
  readonly #ignored: ReadonlySet<string>;
  #rules: Rules;
  #reading: Promise<Rules> | undefined;
  /** How many events told what is new in the definitions. */
  told = 0;

  constructor(owner: Owner, ignored: ReadonlySet<string>) {
    this.#owner = owner;
    this.#ignored = ignored;
    this.#rules = rulesOf(owner.state.definitions, ignored);
  }

  /** The rules as far as they are known now. */
  get rules(): Rules {
    return this.#rules;
  }

  /** True when an earlier pass missed fields, and this one is to look whether they are gone. */
  get areInDoubt(): boolean {
    return isInDoubt(this.#owner.state.definitions);
  }

  /** Reads the definitions, once in a pass, and commits what is new in them, with its events, before any record is told by them: the rules by
   *  the definitions that the service has now. */
  readAndTell(): Promise<Rules> {
    this.#reading ??= this.#readAndTell();
    return this.#reading;
  }

  async #readAndTell(): Promise<Rules> {
    const { parts, state: before, mode, reports } = this.#owner;
    const { process, service, clock } = parts;
    let { definitions } = before;
    // The state is read before the service, here as after a conflict: so what is told was read later than what was told before, whoever
    // told it.
    const decide = async (state: ProcessState): Promise<Say | undefined> => {
      const read = await readDefinitions(service, process.processId, reports);
      const compared = compareDefinitions(state.definitions, read, mode);
      const at = clock();
      definitions = compared.definitions;
      if (compared.isSame) return undefined;
      // A baseline only remembers.
      const changes = state.baselined ? compared.changes : [];
      const say = (count: number): Say => {
        const part = changes.slice(0, count);
        return {
          state: { definitions: definitionsAfter(state.definitions, { definitions, changes }, count) },
          events: version => fieldEvents(process, part, { version, at }),
          less: () => (count > 1 ? say(Math.floor(count / 2)) : undefined),
        };
      };
      return say(changes.length);
    };
    this.told = await announce(this.#owner, decide);
    this.#rules = rulesOf(definitions, this.#ignored);
    return this.#rules;
  }
}
