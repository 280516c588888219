import type { Clock, Sleep } from '../../functions/basics/clock.ts';
import type { Connection, Place } from '../connect/connection.ts';
import type { DirectDoctor, DoctorPlace } from '../connect/doctor.ts';
import type { Program } from '../deploy/execute.ts';
import type { StackTable } from '../restore/stack-table.ts';
import type { Input } from './input.ts';

/** A stream that is written to; `columns` and `rows` are a terminal's. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
}

/** What a command gets from its process, or from a test. */
export interface World {
  readonly stdout: Output;
  readonly stderr: Output;
  /** The current folder. */
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly input: Input;
  readonly clock: Clock;
  readonly sleep: Sleep;
  /** Aborts when somebody wants it to end. */
  readonly interrupted: AbortSignal;
  open(place: Place): Promise<Connection>;
  /** Copies the data directory of the run that the command line means into `to`, a directory that is not there yet.
   *  @returns the one that was copied */
  backUp(place: Place, to: string): Promise<string>;
  /** Finds the table of the stack that the command line means. */
  stackTable(place: Place): Promise<StackTable>;
  /** Opens an address in the user's browser. @throws when there is none */
  browse(address: string): Promise<void>;
  /** Runs a program in this terminal. @returns its exit code */
  execute(program: Program): Promise<number>;
  /** A doctor for the service that the command line or the environment names; undefined: whoever answers has one. */
  doctor(place: DoctorPlace): Promise<DirectDoctor | undefined>;
}
