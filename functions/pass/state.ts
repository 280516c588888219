import {
  compareDefinitions,
  type DefinitionsRead,
  definitionsAfter,
  isInDoubt,
} from '../changes/compare-definitions.ts';
import { type Rules, rulesOf } from '../changes/compare-project.ts';
import type { DueRules } from '../changes/due.ts';
import { ignoredFields } from '../changes/ignored-fields.ts';
import { fieldEvents } from '../changes/process-events.ts';
import type { FieldDefinition } from '../model/field-definition.ts';
import type { ProcessState, Recheck } from '../model/process-state.ts';
import { isPassing, ServiceAnswerError, ServiceStatusError } from '../service/errors.ts';
import type { Service } from '../service/service.ts';
import { announce, type Draft, inHalves } from './announce.ts';
import type { Actors } from './audit-log/actors.ts';
import type { PassContext, Reports } from './context/context.ts';
import { reportNames } from './unknown-fields.ts';

/** What this run of a pass has found so far. */
export class PassState {
  readonly definitions: Definitions;
  /** Who changed what, by the audit log; only in a `changes` pass. */
  actors: Actors | undefined;
  /** The properties that may identify projects, once a new project is checked for them. */
  identifiers: Promise<readonly string[]> | undefined;
  projects = 0;
  /** How many projects without a recheck got no answer. */
  unanswered = 0;
  commits = 0;
  events = 0;
  /** The rechecks as this run read them, and as it wrote or cleared them before the pass concluded. */
  readonly rechecks: Map<string, Omit<Recheck, 'revision'>>;
  /** Projects that are skipped no longer: they were read and committed, or are gone. */
  readonly skippedNoLonger: string[] = [];
  /** The rules for due dates, once the state has them; undefined without rules. */
  due: DueRules | undefined;
  rulesWalk: ProcessState['rulesWalk'];
  /** When the next value falls due, as far as the pass has found that out. */
  nextDue: number | undefined;
  /** True while subscribers believe that the process is stalled. */
  isStalled: boolean;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(context: PassContext) {
    this.definitions = new Definitions(context);
    this.isStalled = context.before.stalled !== undefined;
    this.rechecks = new Map(context.before.rechecks);
  }

  /** Runs `work` once all earlier calls have ended: DynamoDB refuses concurrent transactions that check the
   *  same item. */
  async inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const mine = this.#turn.then(work);
    this.#turn = mine.catch(() => {});
    return mine;
  }
}

/** A process's field definitions during one pass: those of the state, until there is a reason to read them
 *  from the service. So an idle pass makes no request for them, and each event has the names and types of
 *  now. */
class Definitions {
  readonly #context: PassContext;
  readonly #ignored: ReadonlySet<string>;
  #rules: Rules;
  #reading: Promise<Rules> | undefined;
  /** How many events about changed definitions were emitted. */
  events = 0;

  constructor(context: PassContext) {
    this.#context = context;
    this.#ignored = ignoredFields(context.settings.ignoreFields);
    this.#rules = rulesOf(context.before.definitions, this.#ignored);
  }

  /** The rules of comparison, by the definitions as far as they are known now. */
  get rules(): Rules {
    return this.#rules;
  }

  /** True when fields were missing in the last reading: this pass must read the definitions, to see whether
   *  they are gone. */
  get areInDoubt(): boolean {
    return isInDoubt(this.#context.before.definitions);
  }

  /** The last reading, maybe still under way. */
  get reading(): Promise<Rules> | undefined {
    return this.#reading;
  }

  /** Reads the definitions, once in a pass, and commits their changes with the events, before any event of a
   *  record uses them. If the last reading is `stale`, which began before something else was read, reads again.
   *  @returns the rules of comparison by these definitions */
  readAndAnnounce(stale?: Promise<Rules>): Promise<Rules> {
    if (!this.#reading || this.#reading === stale) this.#reading = this.#readAndAnnounce(stale !== undefined);
    return this.#reading;
  }

  async #readAndAnnounce(isAgain: boolean): Promise<Rules> {
    const { process, service, snapshots, clock, reports, heartbeat, before } = this.#context;
    const { mode } = heartbeat.lease;
    const current = isAgain ? await snapshots.readState(process) : before;
    let { definitions } = current;
    // First the state, then the service, here as after a conflict: so what is announced now was read later
    // than what any pass announced before.
    const decide = async (state: ProcessState): Promise<Draft | undefined> => {
      const read = await readDefinitions(service, process.processId, reports);
      const compared = compareDefinitions(state.definitions, read, mode, isAgain);
      const at = clock();
      definitions = compared.definitions;
      if (compared.isSame) return undefined;
      // Before there is a baseline, definitions are only stored.
      const changes = state.baselined ? compared.changes : [];
      return inHalves(changes, some => ({
        state: { definitions: definitionsAfter(state.definitions, { definitions, changes }, some.length) },
        events: version => fieldEvents(process, some, { version, at }),
      }));
    };
    this.events += await announce(this.#context, current, decide);
    reportNames(this.#context, definitions);
    this.#rules = rulesOf(definitions, this.#ignored);
    return this.#rules;
  }
}

/** Reads both lists of field definitions. One that the service refuses, or answers in an unusable shape, is
 *  undefined: its fields then keep the names and types known before. All other errors are thrown: while the
 *  service is down, fields must not seem to be removed. */
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
    const message = 'Field definitions cannot be read: fields keep their last known names and types.';
    reports.once(code, message, { error: error.message });
    return undefined;
  }
}

function isRefusal(error: unknown): error is Error {
  if (!(error instanceof ServiceStatusError)) return error instanceof ServiceAnswerError;
  return error.status >= 400 && error.status !== 401 && !isPassing(error.status);
}
