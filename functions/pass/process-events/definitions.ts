import type { Mode } from '../../basics/process.ts';
import {
  compareDefinitions,
  type DefinitionsRead,
  definitionsAfter,
  isInDoubt,
} from '../../changes/compare-definitions.ts';
import { type Rules, rulesOf } from '../../changes/compare-project.ts';
import { fieldEvents } from '../../changes/field-events.ts';
import type { FieldDefinition } from '../../model/field-definition.ts';
import type { ProcessState } from '../../model/process-state.ts';
import { isPassing, ServiceAnswerError, ServiceStatusError } from '../../service/errors.ts';
import type { Service } from '../../service/service.ts';
import type { Reports } from '../reading/reports.ts';
import { type Announcer, announce, type Say } from './announce.ts';

/** The pass whose definitions these are. */
interface Owner extends Announcer {
  readonly parts: Announcer['parts'] & { readonly service: Service };
  readonly mode: Mode;
  readonly reports: Reports;
}

/** A process's field definitions during one pass: those of the state, until there is a reason to read them from the service.
 *  So an idle pass makes no request for them, and each event has the names and types of now. */
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

  /** The rules of comparison, by the definitions as far as they are known now. */
  get rules(): Rules {
    return this.#rules;
  }

  /** True when fields were missing in the last reading: this pass must read the definitions, to see whether they are gone. */
  get areInDoubt(): boolean {
    return isInDoubt(this.#owner.state.definitions);
  }

  /** Reads the definitions, once in a pass, and commits their changes with the events, before any event of a record uses them.
   *  @returns the rules of comparison by these definitions */
  readAndTell(): Promise<Rules> {
    this.#reading ??= this.#readAndTell();
    return this.#reading;
  }

  async #readAndTell(): Promise<Rules> {
    const { parts, state: before, mode, reports } = this.#owner;
    const { process, service, clock } = parts;
    let { definitions } = before;
    // First the state, then the service, here as after a conflict: so what is told now was read later than what was told before, by
    // whatever pass.
    const decide = async (state: ProcessState): Promise<Say | undefined> => {
      const read = await readDefinitions(service, process.processId, reports);
      const compared = compareDefinitions(state.definitions, read, mode);
      const at = clock();
      definitions = compared.definitions;
      if (compared.isSame) return undefined;
      // Before there is a baseline, definitions are only stored.
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

/** Reads both lists of field definitions. One that the service refuses, or answers in an unusable shape, is undefined: its
 *  fields then keep the names and types known before. All other errors are thrown: while the service is down, fields must
 *  not seem to be removed. */
export async function readDefinitions(
  service: Service,
  processId: string,
  reports: Reports,
): Promise<DefinitionsRead> {
  return {
    project: await readIfShown(() => service.coverpage(processId), 'coverpage-denied', reports),
    task: await readIfShown(() => service.taskCustomFields(processId), 'task-fields-denied', reports),
  };
}

async function readIfShown(
  read: () => Promise<readonly FieldDefinition[]>,
  code: string,
  reports: Reports,
): Promise<readonly FieldDefinition[] | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const message =
      'Field definitions can not be read: fields keep the names and types that were known before.';
    reports.once(code, message, { error: (error as Error).message });
    return undefined;
  }
}

function isRefusal(error: unknown): boolean {
  if (error instanceof ServiceAnswerError) return true;
  return (
    error instanceof ServiceStatusError &&
    error.status >= 400 &&
    error.status !== 401 &&
    !isPassing(error.status)
  );
}
