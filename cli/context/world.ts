import type { Clock, Sleep } from '../../functions/basics/clock.ts';
import type { PlannedRestore } from '../connect/back-up.ts';
import type { Connection, Place } from '../connect/connection.ts';
import type { DirectDoctor, DoctorPlace } from '../connect/doctor.ts';
import type { Program } from '../deploy/execute.ts';
import type { StackTable } from '../restore/stack-table.ts';
import type { Input } from './input.ts';

/** An output stream; `columns` and `rows` of a terminal. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
}

/** The environment of a command: its process, or a test. */
export interface World {
  readonly stdout: Output;
  readonly stderr: Output;
  /** The current directory. */
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly input: Input;
  readonly clock: Clock;
  readonly sleep: Sleep;
  /** Aborts on Ctrl-C or a termination signal. */
  readonly interrupted: AbortSignal;
  open(place: Place): Promise<Connection>;
  /** Copies the data directory of the local run to `to`, a new directory. @returns the source directory */
  backUp(place: Place, to: string): Promise<string>;
  /** Checks a backup, to be restored to the data directory of the local run. */
  planRestore(place: Place, from: string): Promise<PlannedRestore>;
  /** Finds the table of the stack. */
  stackTable(place: Place): Promise<StackTable>;
  /** Opens an address in the user's browser. @throws if that fails */
  browse(address: string): Promise<void>;
  /** Runs a program in this terminal. @returns its exit code */
  execute(program: Program): Promise<number>;
  /** A doctor for the service of the command line or the environment; undefined: use that of the connection. */
  doctor(place: DoctorPlace): Promise<DirectDoctor | undefined>;
}
