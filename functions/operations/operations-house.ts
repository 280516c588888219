import type { Actions } from './actions.ts';
import type { SettingsHouse } from './add-endpoint.ts';
import type { JournalReader } from './journal.ts';
import type { KnownProcess, Passes, ProcessReader } from './processes.ts';
import type { AnswerOf } from './protocol/answers.ts';
import type { Roster } from './roster.ts';
import type { StackHouse } from './stack-house.ts';
import type { TestHouse } from './test-event.ts';

/** All that the operations work with: ports alone. */
export interface OperationsHouse extends SettingsHouse, TestHouse {
  /** How people know it: `run` on one machine, or the stack's name. */
  readonly label: string;
  /** Whether passes go on; false on one machine when nothing runs. */
  readonly isRunning: boolean;
  /** The processes of the configuration, in any order. */
  readonly processes: () => Promise<readonly KnownProcess[]>;
  /** Those of which something is kept, also others. */
  readonly roster: Roster;
  readonly states: ProcessReader;
  readonly journal: JournalReader;
  readonly actions: Actions;
  readonly passes: Passes;
  /** Asks the service of one process. @throws Refused where that can't be done */
  readonly doctor: (process: KnownProcess) => Promise<AnswerOf<'doctor'>>;
  /** What only a stack on AWS has. */
  readonly stack?: StackHouse;
  /** A name that nothing else has. */
  readonly newId: () => string;
}

/** Why something that belongs to an endpoint or to a process can be paged: so many by default. */
export const PAGE = 50;
/** Numbers are counted up to this. */
export const COUNTED = 1_000;
/** Reads under way at once. */
export const WIDTH = 10;
