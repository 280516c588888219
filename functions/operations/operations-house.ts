import type { Actions } from '../store/actions.ts';
import type { JournalReader } from '../store/journal.ts';
import type { KnownProcess, Passes, ProcessReader } from '../store/processes.ts';
import type { Roster } from '../store/roster.ts';
import type { SettingsHouse } from './add-endpoint.ts';
import type { AnswerOf } from './protocol/answers.ts';
import type { StackHouse } from './stack-house.ts';
import type { TestHouse } from './test-event.ts';

/** All ports that the operations need. */
export interface OperationsHouse extends SettingsHouse, TestHouse {
  /** The name that people know it by: `run` on one machine, else the stack's name. */
  readonly label: string;
  /** Whether passes are made; false on one machine while no run goes on. */
  readonly isRunning: boolean;
  /** The configured processes, in any order. */
  readonly processes: () => Promise<readonly KnownProcess[]>;
  /** All processes of which something is kept. */
  readonly roster: Roster;
  readonly states: ProcessReader;
  readonly journal: JournalReader;
  readonly actions: Actions;
  readonly passes: Passes;
  /** Runs the doctor on one process. @throws Refused where that can't be done */
  readonly doctor: (process: KnownProcess) => Promise<AnswerOf<'doctor'>>;
  /** Only on AWS. */
  readonly stack?: StackHouse;
  /** Makes a unique name. */
  readonly newId: () => string;
}

/** The default length of a page. */
export const PAGE = 50;
/** Numbers are counted no further than this. */
export const COUNTED = 1_000;
/** Reads at once. */
export const WIDTH = 10;
